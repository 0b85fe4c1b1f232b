import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { WriteEntry } from '@rollkey/contract'
import type { ReactNode } from 'react'
import { required } from '../../base/validation.ts'
import { SubmitForm } from '../../components/submit-form.tsx'
import { useUnsaved } from '../../hooks/use-unsaved.ts'
import { entryOf, isWhole, keepsType, valueProblem, type Draft } from '../../variables/draft.ts'
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
  /** Whether the values of `initial` are known, so that an empty one may be meant. */
  readonly mayBeEmpty: boolean
  /** Whether there are values that are hidden, so that a boolean may stay what it is. */
  readonly mayKeep?: boolean
  readonly save: {
    mutate(entry: WriteEntry): void
    /** Collects it for a save of many. */
    add(entry: WriteEntry): void
    readonly error: unknown
    readonly isPending: boolean
  }
  readonly children?: ReactNode
}

const keptAlone =
  'Choose true or false to save your other changes. To keep the value with them, go back and reveal it first.'
const nameTaken = 'This stage has a variable of this name already. Open it in the table to change it.'

export function VariableForm({ initial, takenNames, mayBeEmpty, save, children, ...props }: VariableFormProps) {
  const keeps = (draft: Draft): boolean => props.mayKeep === true && keepsType(draft, initial)
  const problemOf = (of: Draft['kind']) => (value: string, draft: Draft) => {
    if (draft.kind !== of) return null
    if (draft.declaredType === 'boolean' && value === '' && keeps(draft)) return keptAlone
    return valueProblem(draft.declaredType, value, mayBeEmpty && initial.kind === of)
  }
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
  const editor = { type: declaredType, mayKeep: keeps(form.values) }
  // Its error is told below, where it may be more than a sentence.
  const mutation = { isPending: save.isPending, error: null, mutate: (draft: Draft) => save.mutate(entryOf(draft)) }
  return (
    <SubmitForm
      form={form}
      mutation={mutation}
      label="Save variable"
      isIncomplete={!isWhole(form.values) && !(keeps(form.values) && form.isDirty())}
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
        <ValueInput {...form.getInputProps('value')} label="Value" {...editor} />
      ) : (
        <>
          <ValueInput {...form.getInputProps('valueA')} label="Value A" {...editor} />
          <ValueInput {...form.getInputProps('valueB')} label="Value B" {...editor} />
          <ChanceInput value={form.values.chance} onChange={(chance) => form.setFieldValue('chance', chance)} />
        </>
      )}
      <SaveProblem error={save.error} />
    </SubmitForm>
  )
}
