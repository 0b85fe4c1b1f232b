import { NativeSelect } from '@mantine/core'
import { useMemo, useState } from 'react'
import { utcDayText } from '../../lib/time.ts'
import { Section } from '../../ui/section.tsx'
import { usageByDay, usageByStage, type StageUsage, type Usage } from './usage.ts'
import { EvaluationsPlot } from './evaluations-plot.tsx'

interface DaysSectionProps {
  readonly usage: Usage
  readonly nameOf: (place: StageUsage['place']) => string
}

const all = ''

/** This month by day, of everything or of a stage. */
export function DaysSection({ usage, nameOf }: DaysSectionProps) {
  const [chosen, setChosen] = useState(all)
  const days = useMemo(() => usageByDay(usage, chosen === all ? undefined : chosen), [usage, chosen])
  const stages = usageByStage(usage).filter(({ evaluations }) => evaluations > 0)
  return (
    <Section title="This month by day">
      <NativeSelect
        label="Stage"
        value={chosen}
        data={[
          { value: all, label: 'All together' },
          ...stages.map(({ key, place }) => ({ value: key, label: nameOf(place) })),
        ]}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <EvaluationsPlot by="day" used={days} text={utcDayText} />
    </Section>
  )
}
