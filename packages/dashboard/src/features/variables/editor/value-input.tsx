import { Input, SegmentedControl, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useId, useState } from 'react'
import type { Draft } from './draft.ts'
import { labels } from './labels.ts'

export interface ValueInputProps extends GetInputPropsReturnType {
  readonly label: string
  readonly type: Draft['declaredType']
  /** Whether the hidden value may stay as it is. An empty value stands for that. */
  readonly mayKeep: boolean
  /** Whether it takes the focus when the form opens. */
  readonly autofocus?: boolean
}

/** The editor that suits the type. Nothing of what is typed is offered again by the browser. */
export function ValueInput({ label, type, mayKeep, autofocus = false, ...input }: ValueInputProps) {
  const focus = autofocus && { 'data-autofocus': true }
  const plain = {
    ...input,
    ...focus,
    label,
    ...(mayKeep && { placeholder: labels.unchanged }),
    autoComplete: 'off',
    spellCheck: false,
    classNames: { input: 'mono' },
  }
  switch (type) {
    case 'boolean':
      return <BooleanInput {...input} {...focus} label={label} mayKeep={mayKeep} />
    case 'int64':
      return <TextInput {...plain} inputMode="numeric" />
    case 'float':
      return <TextInput {...plain} inputMode="decimal" />
    case 'date':
      return <DateInput {...input} {...focus} label={label} />
    case 'json':
      return <Textarea {...plain} minRows={6} />
    default:
      return <Textarea {...plain} minRows={1} maxRows={12} />
  }
}

interface DateInputProps extends GetInputPropsReturnType {
  readonly label: string
}

/** A day is picked; a time with its zone is typed, since no picker of a browser keeps a zone. */
function DateInput({ label, ...input }: DateInputProps) {
  const [hasTime, setHasTime] = useState(/T/i.test(String(input.value)))
  return (
    <Stack gap="xs">
      {hasTime ? (
        <TextInput {...input} label={label} placeholder="2026-12-31T23:59:59Z" autoComplete="off" spellCheck={false} />
      ) : (
        <TextInput {...input} label={label} type="date" />
      )}
      <Switch
        label={labels.withTime}
        checked={hasTime}
        onChange={(event) => {
          setHasTime(event.currentTarget.checked)
          input.onChange('')
        }}
      />
    </Stack>
  )
}

interface BooleanInputProps extends GetInputPropsReturnType {
  readonly label: string
  /** By which the form finds it, to lead to what is wrong. */
  readonly 'data-path'?: string
  readonly 'data-autofocus'?: boolean
  /** Whether the hidden value may stay as it is; an empty value stands for that. */
  readonly mayKeep: boolean
}

const both = ['true', 'false']

/** A choice of true and false, of which neither is preselected. */
function BooleanInput({ label, mayKeep, value, error, onChange, ...props }: BooleanInputProps) {
  const id = useId()
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id }} error={error}>
      <SegmentedControl
        className="focused-part"
        tabIndex={-1}
        data-path={props['data-path']}
        data-autofocus={props['data-autofocus']}
        fullWidth
        aria-labelledby={id}
        data={mayKeep ? [{ value: '', label: labels.keep }, ...both] : both}
        value={String(value)}
        onChange={onChange}
      />
    </Input.Wrapper>
  )
}
