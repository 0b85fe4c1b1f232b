import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface StatProps {
  readonly label: string
  /** The number, ready to read. */
  readonly value: ReactNode
  /** What puts it into proportion. */
  readonly context?: ReactNode
}

/** A number that one looks for first. */
export function Stat({ label, value, context }: StatProps) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} lh="36px" fw={600}>
        {value}
      </Text>
      {context !== undefined && (
        <Text component="div" size="sm" c="dimmed">
          {context}
        </Text>
      )}
    </div>
  )
}
