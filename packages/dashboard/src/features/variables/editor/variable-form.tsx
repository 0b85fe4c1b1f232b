import { Input, NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { type GetInputPropsReturnType, useForm } from '@mantine/form'
import type { WriteEntry } from '@rollkey/contract'
import { declaredTypes, kindNames, kinds, type ValueField, valueFields } from '@rollkey/contract/rules'
import { type ReactNode, useId } from 'react'
import { required } from '../../../lib/validation.ts'
import { SubmitForm } from '../../../ui/submit-form.tsx'
import { useUnsaved } from '../../../ui/use-unsaved.ts'
import { capitalized, typeNames } from '../labels.ts'
import { AttributeInput } from './attribute-input.tsx'
import { type Draft, entryOf, isWhole, keepsType, valueProblem } from './draft.ts'
import { SaveProblem } from './save-problem.tsx'
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
  const problemOf = (field: ValueField) => (value: string, draft: Draft) => {
    if (!kinds[draft.kind].values.some((each) => each.field === field)) return null
    if (draft.declaredType === 'boolean' && value === '' && keeps(draft)) return keptAlone
    return valueProblem(draft.declaredType, value, mayBeEmpty && initial.kind === draft.kind)
  }
  const form = useForm<Draft>({
    initialValues: initial,
    validateInputOnBlur: valueFields,
    validate: {
      name: (name) => required('a name')(name) ?? (takenNames?.has(name) ? nameTaken : null),
      ...Object.fromEntries(valueFields.map((field) => [field, problemOf(field)])),
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
      alternative={{ label: 'Stage change', submit: (draft) => save.add(entryOf(draft)) }}
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
      {kinds[kind].values.map(({ field, label }) => (
        <ValueInput key={field} {...form.getInputProps(field)} label={capitalized(label)} {...editor} />
      ))}
      {kinds[kind].attributes.map((name) => (
        <AttributeInput
          key={name}
          name={name}
          value={form.values[name]}
          onChange={(value) => form.setFieldValue(name, value)}
        />
      ))}
      <SaveProblem error={save.error} />
    </SubmitForm>
  )
}

interface KindInputProps {
  readonly value: Draft['kind']
  readonly onChange: (kind: Draft['kind']) => void
}

const choices = kindNames.map((kind) => ({ value: kind, label: kinds[kind].label }))

function KindInput({ value, onChange }: KindInputProps) {
  const id = useId()
  return (
    <Input.Wrapper label="Kind" labelElement="div" labelProps={{ id }} size="md">
      <SegmentedControl fullWidth aria-labelledby={id} data={choices} value={value} onChange={onChange} />
    </Input.Wrapper>
  )
}

const types = declaredTypes.map((type) => ({ value: type, label: typeNames[type] }))

interface TypeSelectProps extends GetInputPropsReturnType {
  readonly mayBeUndeclared: boolean
}

function TypeSelect({ mayBeUndeclared, ...input }: TypeSelectProps) {
  return (
    <NativeSelect
      {...input}
      label="Type"
      description="What the service checks each value against, and what generated types say."
      data={mayBeUndeclared ? [{ value: '', label: 'not declared' }, ...types] : types}
    />
  )
}
