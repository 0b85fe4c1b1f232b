import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconError, IconInfo, IconSuccess, IconWarning } from './icons.ts'

const kinds = {
  error: { color: 'red', role: 'alert', Icon: IconError },
  success: { color: 'verdigris', role: 'status', Icon: IconSuccess },
  warning: { color: 'yellow', role: 'note', Icon: IconWarning },
  info: { color: 'gray', role: 'note', Icon: IconInfo },
} as const

interface NoticeProps {
  readonly kind: keyof typeof kinds
  readonly title?: string
  readonly children: ReactNode
}

/** A sentence that must not be overlooked; errors and successes are read out when they appear. */
export function Notice({ kind, title, children }: NoticeProps) {
  const { color, role, Icon } = kinds[kind]
  return (
    <Alert color={color} role={role} title={title} icon={<Icon />}>
      {children}
    </Alert>
  )
}
