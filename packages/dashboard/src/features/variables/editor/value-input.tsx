import { Textarea, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import type { Draft } from './draft.ts'
import { BooleanInput } from './boolean-input.tsx'
import { DateInput } from './date-input.tsx'
import classes from './value-input.module.css'

export interface ValueInputProps extends GetInputPropsReturnType {
  readonly label: string
  readonly type: Draft['declaredType']
  /** Whether the hidden value may stay as it is, where a type has a way to say so. */
  readonly mayKeep: boolean
}

/** The editor that suits the type. Nothing of what is typed is offered again by the browser. */
export function ValueInput({ label, type, mayKeep, ...input }: ValueInputProps) {
  const plain = { ...input, label, autoComplete: 'off', spellCheck: false, classNames: { input: classes['input'] } }
  switch (type) {
    case 'boolean':
      return <BooleanInput {...input} label={label} mayKeep={mayKeep} />
    case 'int64':
      return <TextInput {...plain} inputMode="numeric" />
    case 'float':
      return <TextInput {...plain} inputMode="decimal" />
    case 'date':
      return <DateInput {...input} label={label} />
    case 'json':
      return <Textarea {...plain} rows={8} />
    default:
      return <Textarea {...plain} rows={4} />
  }
}
