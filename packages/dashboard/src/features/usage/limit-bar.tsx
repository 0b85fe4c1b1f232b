import { shareText } from '../../lib/numbers.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { labels } from './labels.ts'

interface LimitBarProps {
  /** What is limited. */
  readonly label: string
  readonly used: number
  /** Undefined: there is no limit, and no bar. */
  readonly limit: number | undefined
  /** Returns an amount ready to read. */
  readonly text: (amount: number) => string
}

const warningShare = 0.8

/** How much of a limit of the plan is used. */
export function LimitBar({ label, used, limit, text }: LimitBarProps) {
  if (limit === undefined) return null
  const share = used >= limit ? 1 : used / limit
  return (
    <ProgressBar
      label={label}
      share={share}
      text={labels.ofLimit(shareText(used, limit), text(limit))}
      tone={share >= 1 ? 'danger' : share >= warningShare ? 'warning' : 'usual'}
    />
  )
}
