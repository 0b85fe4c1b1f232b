import { Stack, Switch, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useState } from 'react'

interface DateInputProps extends GetInputPropsReturnType {
  readonly label: string
}

/** A day is picked; a time with its zone is typed, since no picker of a browser keeps a zone. */
export function DateInput({ label, ...input }: DateInputProps) {
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
