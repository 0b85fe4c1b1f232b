import { Textarea } from '@mantine/core'
import { labels } from './labels.ts'

interface ReasonFieldProps {
  readonly value: string
  readonly onChange: (reason: string) => void
}

/** Asks why a change is proposed. */
export function ReasonField({ value, onChange }: ReasonFieldProps) {
  return (
    <Textarea
      label={labels.reason}
      description={labels.reasonUse}
      autosize
      minRows={1}
      maxLength={1_000}
      required
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
