import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Command } from './copy.tsx'
import classes from './empty-state.module.css'
import type { Icon } from './icons.ts'

interface EmptyStateProps {
  readonly icon: Icon
  /** One sentence about what is missing. */
  readonly title: string
  /** Its use. */
  readonly children?: ReactNode
  /** The next step, as a button. */
  readonly action?: ReactNode
  /** The same step in a terminal. */
  readonly command?: { readonly what: string; readonly text: string }
}

/** Explains the next step in place of an empty list. */
export function EmptyState({ icon: Art, title, children, action, command }: EmptyStateProps) {
  return (
    <div className={classes['empty']}>
      <Art size={32} className={classes['art'] ?? ''} />
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text component="div" c="dimmed" maw={480}>
          {children}
        </Text>
      )}
      {action}
      {command && (
        <div className={classes['command']}>
          <Command {...command} />
        </div>
      )}
    </div>
  )
}
