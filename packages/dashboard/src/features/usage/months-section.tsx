import { useMemo } from 'react'
import { utcMonthText } from '../../lib/time.ts'
import { Section } from '../../ui/section.tsx'
import { usageByMonth, type Usage } from './usage.ts'
import { EvaluationsPlot } from './evaluations-plot.tsx'

interface MonthsSectionProps {
  readonly usage: Usage
}

export function MonthsSection({ usage }: MonthsSectionProps) {
  const months = useMemo(() => usageByMonth(usage), [usage])
  return (
    <Section title="The last twelve months">
      <EvaluationsPlot by="month" used={months} text={utcMonthText} />
    </Section>
  )
}
