import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { NativeSelect, Text } from '@mantine/core'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { useScope } from '../../session/use-scope.ts'
import { projectsQuery, stageName } from '../projects/queries.ts'
import { utcDayText, utcMonthText } from '../../lib/time.ts'
import { Section } from '../../ui/section.tsx'
import { bytesText, countText, shareText } from '../../lib/numbers.ts'
import { Notice } from '../../ui/notice.tsx'
import { FiguresTable } from '../../ui/figures-table.tsx'
import { Plot } from '../../ui/plot.tsx'
import { usageQuery } from './queries.ts'
import { EvaluationsSection } from './evaluations-section.tsx'
import { type StageUsage, type Usage, usageByDay, usageByMonth, usageByStage, type Used } from './usage.ts'
import { amountText } from './labels.ts'
import { LimitBar } from './limit-bar.tsx'

export function UsagePage() {
  const scope = useScope()
  const { data: usage, error } = useQuery(usageQuery(scope))
  const { data: projects = [] } = useQuery(projectsQuery(scope))
  const nameOf = (place: { projectSlug: string; stageSlug: string } | undefined): string =>
    place ? stageName(projects, place.projectSlug, place.stageSlug) : 'Stages that do not exist'
  return (
    <Page title="Usage" lead="What this organization evaluates and stores. Months and days are those of UTC.">
      <ErrorNotice error={error} />
      {!usage && !error && <Loading />}
      {usage && (
        <>
          <EvaluationsSection usage={usage} />
          <StorageSection usage={usage} />
          <StagesSection usage={usage} nameOf={nameOf} />
          <DaysSection usage={usage} nameOf={nameOf} />
          <MonthsSection usage={usage} />
        </>
      )}
    </Page>
  )
}

interface MonthsSectionProps {
  readonly usage: Usage
}

function MonthsSection({ usage }: MonthsSectionProps) {
  const months = useMemo(() => usageByMonth(usage), [usage])
  return (
    <Section title="The last twelve months">
      <EvaluationsPlot by="month" used={months} text={utcMonthText} />
    </Section>
  )
}

interface DaysSectionProps {
  readonly usage: Usage
  readonly nameOf: (place: StageUsage['place']) => string
}

const all = ''

/** This month by day, of everything or of a stage. */
function DaysSection({ usage, nameOf }: DaysSectionProps) {
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

interface StorageSectionProps {
  readonly usage: Usage
}

/** What is stored, and what happens at its limit. */
function StorageSection({ usage: { storage, plan } }: StorageSectionProps) {
  const limit = plan.storageBytes
  const consequence =
    'writes that would store more are refused (USAGE_LIMIT_EXCEEDED, status 402). Smaller values and deletions pass.'
  return (
    <Section title="Storage">
      <Text>{amountText(storage.bytes, limit, bytesText)}.</Text>
      <LimitBar label="Storage" used={storage.bytes} limit={limit} />
      {limit !== undefined && storage.bytes >= limit ? (
        <Notice kind="warning" title="The limit is reached">
          Now {consequence}
        </Notice>
      ) : (
        <Text size="sm" c="dimmed">
          {limit === undefined ? 'The plan has no limit.' : `At the limit, ${consequence}`} The present values count, as
          they are encrypted; their history does not.
        </Text>
      )}
    </Section>
  )
}

interface EvaluationsPlotProps {
  readonly by: 'day' | 'month'
  readonly used: readonly Used[]
  /** Of the beginning of each. */
  readonly text: (timeMs: number) => string
}

function EvaluationsPlot({ by, used, text }: EvaluationsPlotProps) {
  const columns = useMemo(
    () => used.map(({ startMs, evaluations }) => ({ label: text(startMs), values: [evaluations] })),
    [used, text],
  )
  const rows = used
    .filter(({ evaluations }) => evaluations > 0)
    .map(({ startMs, evaluations }) => [text(startMs), countText(evaluations)])
    .toReversed()
  if (rows.length === 0)
    return <Text>Nothing was evaluated. What applications evaluate shows here within seconds.</Text>
  return (
    <>
      <Plot label={`Evaluations by ${by}`} series={['Evaluations']} columns={columns} />
      <FiguresTable
        label={`Evaluations by ${by}, as figures`}
        columns={[by === 'day' ? 'Day' : 'Month', 'Evaluations']}
        rows={rows}
      />
    </>
  )
}

interface StagesSectionProps {
  readonly usage: Usage
  readonly nameOf: (place: StageUsage['place']) => string
}

function StagesSection({ usage, nameOf }: StagesSectionProps) {
  const stages = usageByStage(usage)
  const { storageBytes } = usage.plan
  const rows = stages.map(({ place, evaluations, bytes }) => {
    const stored = bytesText(bytes)
    const share = storageBytes === undefined ? stored : `${stored} (${shareText(bytes, storageBytes)})`
    return [nameOf(place), countText(evaluations), share]
  })
  return (
    <Section title="By project and stage">
      {stages.length === 0 ? (
        <Text>There is nothing yet. Each stage that is evaluated or stores something will have a line here.</Text>
      ) : (
        <FiguresTable
          label="Usage by project and stage"
          columns={[
            'Stage',
            'Evaluations this month',
            storageBytes === undefined ? 'Stored' : `Stored, of ${bytesText(storageBytes)}`,
          ]}
          rows={rows}
        />
      )}
      {stages.some(({ place }) => !place) && (
        <Text size="sm" c="dimmed">
          Pulls of stages that do not exist count, too, and give nothing. Compare the project and stage that your
          applications ask for with the names here.
        </Text>
      )}
    </Section>
  )
}
