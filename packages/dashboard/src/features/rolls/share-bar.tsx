import { shareText } from '../../lib/numbers.ts'
import { IconMissing, IconSuccess, IconWarning } from '../../ui/icons.ts'
import { StatusDot } from '../../ui/status.tsx'
import type { Stage } from '../projects/queries.ts'
import type { ShareRange } from './served.ts'
import { labels } from './labels.ts'
import classes from './rolls.module.css'
import type { Verdict } from './roll-list.ts'

interface ShareBarProps {
  /** The share of A that was served, from 0 to 1. */
  readonly share: number
  readonly expected: ShareRange | undefined
}

/** Shows the share of A that was served, against the expected range. */
export function ShareBar({ share, expected }: ShareBarProps) {
  return (
    <span className={classes['share']} title={labels.share(share, expected)}>
      <span
        className={classes['track']}
        role="img"
        aria-label={labels.share(share, expected)}
        ref={(track) => {
          track?.style.setProperty('--share', `${100 * share}%`)
          track?.style.setProperty('--low', `${100 * (expected?.low ?? 0)}%`)
          track?.style.setProperty('--high', `${100 * (expected?.high ?? 0)}%`)
        }}
      >
        {expected && <span className={classes['range']} />}
        <span className={classes['mark']} />
      </span>
      <span className={classes['figure']} aria-hidden>
        {shareText(share, 1)}
      </span>
    </span>
  )
}

const icons = { fits: IconSuccess, differs: IconWarning, unknown: IconMissing } as const

interface FitBadgeProps {
  readonly verdict: Verdict
}

/** Shows a verdict as icon and words. */
export function FitBadge({ verdict }: FitBadgeProps) {
  const Art = icons[verdict]
  return (
    <span className={classes['fit']} data-verdict={verdict}>
      <Art size={14} />
      {labels.verdicts[verdict]}
    </span>
  )
}

interface StageLabelProps {
  readonly stage: Stage
}

/** Shows the name of a stage, with a mark if it is production. */
export function StageLabel({ stage }: StageLabelProps) {
  return (
    <>
      {stage.name} <ProductionMark stage={stage} />
    </>
  )
}

/** Marks a production stage. */
export function ProductionMark({ stage: { isProduction } }: StageLabelProps) {
  return isProduction && <StatusDot status="production">{labels.production}</StatusDot>
}
