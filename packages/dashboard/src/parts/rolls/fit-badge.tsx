import { VisuallyHidden } from '@mantine/core'
import { IconInfo, IconMissing, IconSuccess, IconWarning } from '../../ui/icons.ts'
import type { Verdict } from '../../data/rolls/fit.ts'
import { labels } from './labels.ts'
import classes from './rolls.module.css'

const icons = { fits: IconSuccess, unusual: IconInfo, differs: IconWarning, unknown: IconMissing } as const

interface FitBadgeProps {
  readonly verdict: Verdict
  /** Whether it shows only a word, and explains it in a hint. @default false */
  readonly isShort?: boolean
}

/** Shows a verdict as icon and words. */
export function FitBadge({ verdict, isShort = false }: FitBadgeProps) {
  const Art = icons[verdict]
  return (
    <span className={classes['fit']} data-verdict={verdict} title={isShort ? labels.verdictTexts[verdict] : undefined}>
      <Art size={14} />
      {(isShort ? labels.shortVerdicts : labels.verdicts)[verdict]}
      {isShort && <VisuallyHidden>{`. ${labels.verdictTexts[verdict]}`}</VisuallyHidden>}
    </span>
  )
}
