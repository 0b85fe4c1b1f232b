import type { ReactNode } from 'react'
import classes from './banner.module.css'
import { IconOffline, IconWarning } from './icons.ts'

const kinds = { offline: IconOffline, warning: IconWarning } as const

interface BannerProps {
  readonly kind: keyof typeof kinds
  /** What can be done about it. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A state of the whole application, above the page for as long as it lasts. */
export function Banner({ kind, action, children }: BannerProps) {
  const Art = kinds[kind]
  return (
    <div role="status" className={classes['banner']}>
      <Art />
      <span className={classes['text']}>{children}</span>
      {action}
    </div>
  )
}
