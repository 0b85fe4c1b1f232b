import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import {
  type Icon,
  IconClient,
  IconDifferent,
  IconDraft,
  IconMissing,
  IconPlain,
  IconProduction,
  IconProposed,
  IconProtected,
  IconRoll,
  IconSame,
  IconSecret,
  IconTime,
  IconUnreadable,
  IconWarning,
} from './icons.ts'
import classes from './status.module.css'
import { labels } from './labels.ts'

const icons = {
  same: IconSame,
  different: IconDifferent,
  missing: IconMissing,
  'missing-in-production': IconWarning,
  draft: IconDraft,
  proposed: IconProposed,
  planned: IconTime,
  unreadable: IconUnreadable,
  protected: IconProtected,
  production: IconProduction,
} as const satisfies Record<string, Icon>

export type Status = keyof typeof icons

interface StatusProps {
  readonly status: Status
  /** The status in words. */
  readonly children: ReactNode
}

/** Shows a status as icon and words. What needs action is loud, what is as expected is quiet. */
export function StatusBadge({ status, children }: StatusProps) {
  const Art = icons[status]
  return (
    <span className={classes['badge']} data-status={status}>
      <Art size={14} />
      {children}
    </span>
  )
}

/** Shows a status as an icon with the words as a hint. */
export function StatusDot({ status, children }: StatusProps & { readonly children: string }) {
  const Art = icons[status]
  return (
    <span className={classes['badge']} data-status={status} data-dot title={children}>
      <Art size={14} />
      <VisuallyHidden>{children}</VisuallyHidden>
    </span>
  )
}

const kindIcons = {
  secret: IconSecret,
  plain: IconPlain,
  client: IconClient,
  ab_roll: IconRoll,
} as const

interface KindIconProps {
  readonly kind: keyof typeof kindIcons
}

/** Shows the kind of a variable. */
export function KindIcon({ kind }: KindIconProps) {
  const Art = kindIcons[kind]
  const name = labels.kinds[kind]
  return (
    <span className={classes['kind']} role="img" aria-label={name} title={name}>
      <Art />
    </span>
  )
}
