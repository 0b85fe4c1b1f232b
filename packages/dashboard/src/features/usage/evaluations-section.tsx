import { Text } from '@mantine/core'
import { utcDayText, utcMonthText } from '../../lib/time.ts'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { useNow } from '../../ui/use-now.ts'
import { presentMonth, type Usage } from './usage.ts'
import { limitDay, monthSentence } from './labels.ts'
import { LimitBar } from './limit-bar.tsx'

interface EvaluationsSectionProps {
  readonly usage: Usage
}

/** This month's evaluations, and what happens at their limit. */
export function EvaluationsSection({ usage }: EvaluationsSectionProps) {
  const nowMs = useNow()
  const month = presentMonth(usage)
  const limit = usage.plan.evaluationsPerMonth
  const isOver = limit !== undefined && month.evaluations >= limit
  const day = limitDay(month, limit, nowMs)
  const consequence = `evaluations and pulls are refused (USAGE_LIMIT_EXCEEDED, status 402) until ${utcDayText(month.endMs)}, 0:00 UTC. Nothing is lost: variables can be looked at and changed as before. The operator can set a higher limit.`
  return (
    <Section title={`Evaluations in ${utcMonthText(month.startMs)}`}>
      <Text>{monthSentence(month, limit, nowMs)}</Text>
      <LimitBar label="Evaluations" used={month.evaluations} limit={limit} />
      {isOver && (
        <Notice kind="warning" title="The limit is reached">
          Now {consequence}
        </Notice>
      )}
      {!isOver && day !== undefined && (
        <Notice kind="warning" title={`At this pace, the limit is reached around ${day}`}>
          From then on, {consequence}
        </Notice>
      )}
      {!isOver && day === undefined && (
        <Text size="sm" c="dimmed">
          {limit === undefined ? 'The plan has no limit.' : `At the limit, ${consequence}`} One evaluation, one batch
          and one pull count as one each.
        </Text>
      )}
    </Section>
  )
}
