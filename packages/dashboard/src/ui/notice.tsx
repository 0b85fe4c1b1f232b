import { Affix, Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { ConfirmationCanceled, explain } from '../service/errors.ts'
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
  /**
   * Whether it scrolls into sight when it appears, because it answers what the person just did.
   * @default false
   */
  readonly isAnswer?: boolean
  readonly children: ReactNode
}

/** Shows an important sentence. Screen readers read errors and successes when they appear. */
export function Notice({ kind, title, isAnswer = false, children }: NoticeProps) {
  const { color, role, Icon } = kinds[kind]
  return (
    <Alert ref={isAnswer ? intoSight : null} color={color} role={role} title={title} icon={<Icon />}>
      {children}
    </Alert>
  )
}

function intoSight(notice: HTMLElement | null): void {
  notice?.scrollIntoView({ block: 'nearest' })
}

interface ErrorNoticeProps extends Pick<NoticeProps, 'isAnswer'> {
  /** Null: nothing is shown. */
  readonly error: unknown
}

export function ErrorNotice({ error, isAnswer = false }: ErrorNoticeProps) {
  return (
    error !== null &&
    !(error instanceof ConfirmationCanceled) && (
      <Notice kind="error" isAnswer={isAnswer}>
        {explain(error)}
      </Notice>
    )
  )
}

const bannerIcons = { offline: IconOffline, warning: IconWarning } as const

interface BannerProps {
  readonly kind: keyof typeof bannerIcons
  /** A button that helps. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** Shows a state of the whole application above the page. */
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

/** Shows the error of an action in the header, where there is no room for it. */
export function FloatingError({ error }: FloatingErrorProps) {
  return (
    error !== null && (
      <Affix position={{ bottom: 16, left: 16, right: 16 }}>
        <ErrorNotice error={error} />
      </Affix>
    )
  )
}
