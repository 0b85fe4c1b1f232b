import { Input, SegmentedControl, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useId, useState } from 'react'
import type { Draft } from './draft.ts'
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
        label="With time and zone"
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
  /** Whether the hidden value may stay as it is; an empty value stands for that. */
  readonly mayKeep: boolean
}

const both = ['true', 'false']

/** A choice of true and false, of which neither is preselected. */
function BooleanInput({ label, mayKeep, value, error, onChange, ...props }: BooleanInputProps) {
  const id = useId()
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id }} size="md" error={error}>
      <SegmentedControl
        className="focused-part"
        tabIndex={-1}
        data-path={props['data-path']}
        fullWidth
        aria-labelledby={id}
        data={mayKeep ? [{ value: '', label: 'Keep' }, ...both] : both}
        value={String(value)}
        onChange={onChange}
      />
    </Input.Wrapper>
  )
}
