import { shareText } from '../../lib/numbers.ts'
import { ProgressBar } from '../../ui/loading.tsx'
import { labels } from './labels.ts'

const warningShare = 0.8

interface LimitBarProps {
  /** Name of the limit. */
  readonly label: string
  readonly used: number
  /** Undefined: no limit, and no bar. */
  readonly limit: number | undefined
  /** Returns an amount ready to read. */
  readonly text: (amount: number) => string
}

/** Shows how much of a limit of the plan is used. */
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
