import { Code, Group, Stack } from '@mantine/core'
import { useId, useRef } from 'react'
import { CopyButton } from './copy-button.tsx'

interface CommandProps {
  readonly text: string
  /** What it is, for those who only hear it. */
  readonly what: string
}

/** A command to paste into a terminal. */
export function Command({ text, what }: CommandProps) {
  const id = useId()
  const code = useRef<HTMLPreElement>(null)
  const select = (): void => {
    if (code.current) getSelection()?.selectAllChildren(code.current)
  }
  return (
    <Stack gap="xs">
      <Code ref={code} id={id} block tabIndex={0} aria-label={what}>
        {text}
      </Code>
      <Group>
        <CopyButton value={text} describedBy={id} onRefused={select} />
      </Group>
    </Stack>
  )
}
