import { Affix, Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { explain } from '../service/errors.ts'
import { IconError, IconInfo, IconOffline, IconSuccess, IconWarning } from './icons.ts'
import classes from './notice.module.css'

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

interface ErrorNoticeProps {
  /** Null: nothing is shown. */
  readonly error: unknown
}

export function ErrorNotice({ error }: ErrorNoticeProps) {
  return error !== null && <Notice kind="error">{explain(error)}</Notice>
}

const bannerIcons = { offline: IconOffline, warning: IconWarning } as const

interface BannerProps {
  readonly kind: keyof typeof bannerIcons
  /** What can be done about it. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A state of the whole application, above the page for as long as it lasts. */
export function Banner({ kind, action, children }: BannerProps) {
  const Art = bannerIcons[kind]
  return (
    <div role="status" className={classes['banner']}>
      <Art />
      <span className={classes['text']}>{children}</span>
      {action}
    </div>
  )
}

interface FloatingErrorProps {
  readonly error: unknown
}

/** For what was started in the header, where there is no room to say what went wrong. */
export function FloatingError({ error }: FloatingErrorProps) {
  return (
    error !== null && (
      <Affix position={{ bottom: 16, left: 16, right: 16 }}>
        <ErrorNotice error={error} />
      </Affix>
    )
  )
}
