import type { ReactNode } from 'react'
import { Stack } from '@mantine/core'
import classes from './form.module.css'

interface MoreFieldsProps {
  readonly label: string
  /** Whether they are in sight at first: one of them is set. */
  readonly isOpen: boolean
  readonly children: ReactNode
}

/** Folds the fields of a form that most people leave as they are. The form unfolds them to show a problem. */
export function MoreFields({ label, isOpen, children }: MoreFieldsProps) {
  return (
    <details open={isOpen}>
      <summary className={classes['more']}>{label}</summary>
      <Stack className={classes['fields']} mt="sm">
        {children}
      </Stack>
    </details>
  )
}
