import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'

const kinds = {
  error: { color: 'red', role: 'alert' },
  success: { color: 'teal', role: 'status' },
  warning: { color: 'orange', role: 'note' },
  info: { color: 'indigo', role: 'note' },
} as const

interface NoticeProps {
  readonly kind: keyof typeof kinds
  readonly title?: string
  readonly children: ReactNode
}

/** A sentence that must not be overlooked; errors and successes are read out when they appear. */
export function Notice({ kind, title, children }: NoticeProps) {
  const { color, role } = kinds[kind]
  return (
    <Alert color={color} role={role} title={title}>
      {children}
    </Alert>
  )
}
