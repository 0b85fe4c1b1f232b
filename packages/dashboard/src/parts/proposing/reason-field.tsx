import { Textarea } from '@mantine/core'
import { type ReactNode, type Ref, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { labels } from './labels.ts'

interface ReasonFieldProps {
  readonly value: string
  /** What is wrong with it. */
  readonly error?: ReactNode
  /** What the reason is for. @default that reviewers read it, or that it may be empty */
  readonly description?: string | undefined
  /** @default false */
  readonly isOptional?: boolean
  readonly ref?: Ref<HTMLTextAreaElement>
  readonly onChange: (reason: string) => void
}

/** Asks why a change is proposed. A form finds it as `reason`, and a dialog begins in it, unless another field comes first. */
export function ReasonField({ description, isOptional = false, onChange, ...field }: ReasonFieldProps) {
  return (
    <Textarea
      {...field}
      label={labels.reason}
      description={description ?? (isOptional ? labels.reasonOptional : labels.reasonUse)}
      autosize
      // Enter begins a new line, as it looks.
      minRows={2}
      maxLength={1_000}
      // Without the browser's own message, which is not about proposals.
      withAsterisk={!isOptional}
      aria-required={!isOptional}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data-path="reason"
      data-autofocus={!isOptional || undefined}
    />
  )
}

export interface Reason {
  /** What the person said, without spaces around it. */
  readonly text: string
  readonly field: ReactNode
  /** Returns whether the person said why. If not, the field takes the focus and says what is missing. */
  readonly check: () => boolean
  /** Forgets what the person said. */
  readonly reset: () => void
}

interface ReasonOptions extends Pick<ReasonFieldProps, 'description'> {
  /** The error of an empty reason. @default that reviewers need it */
  readonly missing?: string
}

/** Returns a required reason, and the field that asks for it. */
export function useReason({ description, missing = labels.reasonMissing }: ReasonOptions = {}): Reason {
  const [value, setValue] = useState('')
  const [isMissing, setMissing] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const change = (reason: string): void => {
    setValue(reason)
    setMissing(false)
  }
  const text = value.trim()
  return {
    text,
    field: (
      <ReasonField ref={field} value={value} error={isMissing && missing} description={description} onChange={change} />
    ),
    check: () => {
      if (text !== '') return true
      // Screen readers read the error with the field.
      flushSync(() => setMissing(true))
      field.current?.focus()
      return false
    },
    reset: () => change(''),
  }
}
