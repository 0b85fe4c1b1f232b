import { Box } from '@mantine/core'
import { useId, useRef } from 'react'
import classes from './command.module.css'
import { CopyButton } from './copy-button.tsx'

interface CommandProps {
  readonly text: string
  /** What it is, for those who only hear it. */
  readonly what: string
}

/** A command or a piece of code to take elsewhere. */
export function Command({ text, what }: CommandProps) {
  const id = useId()
  const code = useRef<HTMLPreElement>(null)
  const select = (): void => {
    if (code.current) getSelection()?.selectAllChildren(code.current)
  }
  return (
    <div className={classes['command']}>
      <Box component="pre" ref={code} id={id} className={classes['text']} tabIndex={0} aria-label={what}>
        {text}
      </Box>
      <CopyButton value={text} describedBy={id} onRefused={select} size="xs" />
    </div>
  )
}
