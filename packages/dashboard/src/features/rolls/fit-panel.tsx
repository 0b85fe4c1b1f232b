import { Text } from '@mantine/core'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { fitOf } from '../../data/rolls/fit.ts'
import { labels } from './labels.ts'
import type { PlacedRoll } from './roll-list.ts'
import { FitBadge } from '../../parts/rolls/fit-badge.tsx'
import type { Sides } from '../../data/rolls/labels.ts'
import { labels as rollLabels } from '../../parts/rolls/labels.ts'

interface FitPanelProps {
  readonly roll: PlacedRoll
  readonly sides: Sides | undefined
}

/** Shows whether the served split fits the chance. The test assumes that every value was served to another user. */
export function FitPanel({ roll, sides }: FitPanelProps) {
  const fit = fitOf(roll)
  const { fit: texts } = labels
  // Where everyone gets one side, there is nothing to compare.
  if (!fit && (roll.chance === 0 || roll.chance === 1)) return null
  const lead = (
    <>
      {texts.lead(roll.chance)} (<RelativeTime ms={roll.chanceSinceMs} />
      ).
    </>
  )
  if (!fit) {
    return (
      <Panel title={texts.title} lead={lead}>
        <Text>
          {texts.nothing} {texts.startsOver}
        </Text>
      </Panel>
    )
  }
  const sentence = texts.sentence(fit, roll.chance, sides)
  return (
    <Panel title={texts.title} lead={lead}>
      {fit.verdict === 'differs' ? (
        <Notice kind="warning" title={rollLabels.verdicts.differs}>
          {sentence} {texts.misfitText}
        </Notice>
      ) : (
        <>
          <FitBadge verdict={fit.verdict} />
          <Text>{sentence}</Text>
        </>
      )}
      {fit.p !== undefined && (
        <details>
          <summary>{texts.details}</summary>
          <Text size="sm" mt={4}>
            {texts.detailsText(fit.p)} {texts.startsOver}
          </Text>
        </details>
      )}
    </Panel>
  )
}
