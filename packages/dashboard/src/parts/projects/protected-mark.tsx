import type { Stage } from '@rollkey/sdk/core'
import { absoluteTime } from '../../lib/time.ts'
import { StatusDot } from '../../ui/status.tsx'
import { useNow } from '../../ui/time.tsx'
import { writeRuleOf } from '../../data/proposals/write-rule.ts'
import { labels } from './labels.ts'

interface ProtectedMarkProps {
  readonly isProtected: boolean | undefined
  /** What the stage requires of changes. Absent: the mark does not say it. */
  readonly protection?: Stage['protection'] | undefined
}

/** Marks a protected stage next to its name. */
export function ProtectedMark({ isProtected = false, protection }: ProtectedMarkProps) {
  const { approvals, frozenUntilMs } = writeRuleOf({ protection }, useNow())
  if (!isProtected) return null
  const frozenUntil = frozenUntilMs === undefined ? undefined : absoluteTime(frozenUntilMs)
  return <StatusDot status="protected">{labels.protected(approvals, frozenUntil)}</StatusDot>
}
