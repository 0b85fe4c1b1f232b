import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { WriteEntry } from '@rollkey/contract'
import type { ReactNode } from 'react'
import { required } from '../../base/validation.ts'
import { SubmitForm } from '../../components/submit-form.tsx'
import { useUnsaved } from '../../hooks/use-unsaved.ts'
import { entryOf, valueProblem, type Draft } from '../../variables/draft.ts'
import { ChanceInput } from './chance-input.tsx'
import { KindInput } from './kind-input.tsx'
import { SaveProblem } from './save-problem.tsx'
import { TypeSelect } from './type-select.tsx'
import { ValueInput } from './value-input.tsx'

interface VariableFormProps {
  readonly initial: Draft
  /** Of other variables of the stage; undefined: the name is fixed. */
  readonly takenNames?: ReadonlySet<string> | undefined
  /** A type that was declared stays, or becomes another. */
  readonly mayBeUndeclared: boolean
  /** Whether an empty value may be meant. */
  readonly mayBeEmpty: boolean
  readonly save: {
    mutate(entry: WriteEntry): void
    /** Collects it for a save of many. */
    add(entry: WriteEntry): void
    readonly error: unknown
    readonly isPending: boolean
  }
  readonly children?: ReactNode
}

const nameTaken = 'This stage has a variable of this name already. Open it in the table to change it.'

export function VariableForm({ initial, takenNames, mayBeEmpty, save, children, ...props }: VariableFormProps) {
  const problemOf = (of: Draft['kind']) => (value: string, draft: Draft) =>
    draft.kind === of ? valueProblem(draft.declaredType, value, mayBeEmpty) : null
  const form = useForm<Draft>({
    initialValues: initial,
    validateInputOnBlur: ['value', 'valueA', 'valueB'],
    validate: {
      name: (name) => required('a name')(name) ?? (takenNames?.has(name) ? nameTaken : null),
      value: problemOf('secret'),
      valueA: problemOf('ab_roll'),
      valueB: problemOf('ab_roll'),
    },
  })
  useUnsaved(form.isDirty())
  const { kind, declaredType } = form.values
  // Its error is told below, where it may be more than a sentence.
  const mutation = { isPending: save.isPending, error: null, mutate: (draft: Draft) => save.mutate(entryOf(draft)) }
  return (
    <SubmitForm
      form={form}
      mutation={mutation}
      label="Save variable"
      alternative={{ label: 'Add to changes', submit: (draft) => save.add(entryOf(draft)) }}
    >
      {takenNames && (
        <TextInput
          {...form.getInputProps('name')}
          label="Name"
          description="Such as DATABASE_URL. It cannot be changed later."
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          maxLength={256}
          data-autofocus
          required
        />
      )}
      {children}
      <KindInput value={kind} onChange={(chosen) => form.setFieldValue('kind', chosen)} />
      <TypeSelect {...form.getInputProps('declaredType')} mayBeUndeclared={props.mayBeUndeclared} />
      {kind === 'secret' ? (
        <ValueInput {...form.getInputProps('value')} label="Value" type={declaredType} />
      ) : (
        <>
          <ValueInput {...form.getInputProps('valueA')} label="Value A" type={declaredType} />
          <ValueInput {...form.getInputProps('valueB')} label="Value B" type={declaredType} />
          <ChanceInput value={form.values.chance} onChange={(chance) => form.setFieldValue('chance', chance)} />
        </>
      )}
      <SaveProblem error={save.error} />
    </SubmitForm>
  )
}
