import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { labels } from './labels.ts'

interface ReasonFieldProps {
  readonly value: string
  /** What is wrong with it. */
  readonly error?: ReactNode
  /** What the reason is for. @default that reviewers read it, or that it may be empty */
  readonly description?: string
  /** @default false */
  readonly isOptional?: boolean
  readonly onChange: (reason: string) => void
}

/** Asks why a change is proposed. */
export function ReasonField({ value, error, description, isOptional = false, onChange }: ReasonFieldProps) {
  return (
    <Textarea
      label={labels.reason}
      description={description ?? (isOptional ? labels.reasonOptional : labels.reasonUse)}
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
