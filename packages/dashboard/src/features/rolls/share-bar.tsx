import { shareText } from '../../lib/numbers.ts'
import { IconInfo, IconMissing, IconSuccess, IconWarning } from '../../ui/icons.ts'
import { StatusDot } from '../../ui/status.tsx'
import type { Stage } from '../projects/queries.ts'
import { labels } from './labels.ts'
import classes from './rolls.module.css'
import type { Verdict } from './fit.ts'
import type { ListedRoll } from './roll-list.ts'

const icons = { fits: IconSuccess, unusual: IconInfo, differs: IconWarning, unknown: IconMissing } as const

interface FitBadgeProps {
  readonly verdict: Verdict
  /** Whether all words are only a hint. @default false */
  readonly isShort?: boolean
}

/** Shows a verdict as icon and words. */
export function FitBadge({ verdict, isShort = false }: FitBadgeProps) {
  const Art = icons[verdict]
  return (
    <span className={classes['fit']} data-verdict={verdict} title={isShort ? labels.verdicts[verdict] : undefined}>
      <Art size={14} />
      {(isShort ? labels.shortVerdicts : labels.verdicts)[verdict]}
    </span>
  )
}

interface ServedShareProps {
  readonly roll: Pick<ListedRoll, 'share' | 'expected' | 'verdict'>
}

/** Shows the share of A that was served, and whether it fits the chance. */
export function ServedShare({ roll: { share, expected, verdict } }: ServedShareProps) {
  if (share === undefined) return <span className={classes['none']}>{labels.nothingServed}</span>
  return (
    <span className={classes['served']}>
      <span className={classes['figure']} title={labels.share(share, expected)}>
        {shareText(share, 1)}
      </span>
      {verdict && <FitBadge verdict={verdict} isShort />}
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
