import { shareText } from '../../lib/numbers.ts'
import { labels } from './labels.ts'
import classes from './rolls.module.css'
import type { PlacedRoll } from './roll-list.ts'
import { FitBadge } from '../../parts/rolls/fit-badge.tsx'

interface ServedShareProps {
  readonly roll: Pick<PlacedRoll, 'share' | 'expected' | 'verdict'>
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
