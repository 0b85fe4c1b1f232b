import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Command } from './copy.tsx'
import classes from './empty-state.module.css'
import type { Icon } from './icons.ts'

interface EmptyStateProps {
  readonly icon: Icon
  /** One sentence that says what is not there yet. */
  readonly title: string
  /** Why one would want it. */
  readonly children?: ReactNode
  /** The next step, as a button. */
  readonly action?: ReactNode
  /** The same step in a terminal. */
  readonly command?: { readonly what: string; readonly text: string }
}

/** What stands in the place of things that are not there yet: it teaches the next step. */
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
