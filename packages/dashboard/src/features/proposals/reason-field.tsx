import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { labels } from './labels.ts'

interface ReasonFieldProps {
  readonly value: string
  /** What is wrong with it. */
  readonly error?: ReactNode
  /** @default false */
  readonly isOptional?: boolean
  readonly onChange: (reason: string) => void
}

/** Asks why a change is proposed. */
export function ReasonField({ value, error, isOptional = false, onChange }: ReasonFieldProps) {
  return (
    <Textarea
      label={labels.reason}
      description={isOptional ? labels.reasonOptional : labels.reasonUse}
      autosize
      minRows={1}
      maxLength={1_000}
      required={!isOptional}
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
