import { Group, TextInput } from '@mantine/core'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import classes from './copy-field.module.css'

interface CopyFieldProps {
  readonly label: string
  readonly description?: ReactNode
  readonly value: string
}

/** A text to take elsewhere, the result of what was asked for: it takes the focus, and is selected as a whole then. */
export function CopyField({ label, description, value }: CopyFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        ref={input}
        id={id}
        className={classes['field']}
        classNames={{ input: classes['input'] }}
        label={label}
        description={description}
        value={value}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={value} describedBy={`${id}-label`} onRefused={() => input.current?.focus()} />
    </Group>
  )
}
