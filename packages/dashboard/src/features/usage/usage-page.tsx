import type { Project } from '@rollkey/sdk/core'
import { Group, NativeSelect, SegmentedControl, SimpleGrid, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { bytesText, countText } from '../../lib/numbers.ts'
import { utcDayText, utcMonthText } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { FiguresTable } from '../../ui/figures-table.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Plot } from '../../ui/plot.tsx'
import { QueryPart } from '../../ui/loading.tsx'
import { Stat } from '../../ui/description-list.tsx'
import { useNow } from '../../ui/time.tsx'
import { projectsQuery, stageName } from '../../data/projects/queries.ts'
import { labels } from './labels.ts'
import { usageQuery } from '../../data/usage/queries.ts'
import {
  firstDayMs,
  forecast,
  latestDays,
  presentMonth,
  type Span,
  spans,
  type StageUsage,
  type Usage,
  usageByMonth,
  usageByStage,
  usageSearch,
  type UsageSearch,
  usualSpan,
} from '../../data/usage/usage.ts'
import { UsedStage } from './used-stage.tsx'
import { LimitBar } from '../../parts/usage/limit-bar.tsx'

export function UsagePage() {
  const scope = useScope()
  const { days: span = usualSpan, stage } = usageSearch(useSearch({ strict: false }))
  return (
    <Page title={labels.title} lead={labels.lead}>
      <QueryPart query={useQuery(usageQuery(scope, span))} rows={12}>
        {(usage) => (
          <>
            <Figures usage={usage} />
            <DaysSection usage={usage} span={span} stage={stage} />
            <StagesSection usage={usage} span={span} />
            <MonthsSection usage={usage} />
          </>
        )}
      </QueryPart>
    </Page>
  )
}

interface FiguresProps {
  readonly usage: Usage
}

/** Shows this month and the storage, with their limits and what happens at them. */
function Figures({ usage }: FiguresProps) {
  const { storage, plan } = usage
  const nowMs = useNow()
  const month = presentMonth(usage)
  const expected = forecast(usage, nowMs)
  const until = utcDayText(month.endMs)
  const isOver = plan.evaluationsPerMonth !== undefined && month.evaluations >= plan.evaluationsPerMonth
  const isFull = plan.storageBytes !== undefined && storage.bytes >= plan.storageBytes
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        <div>
          <Stat
            label={labels.month(utcMonthText(month.startMs))}
            value={countText(month.evaluations)}
            context={expected && labels.forecast(expected)}
          />
          <LimitBar
            label={labels.planShare}
            used={month.evaluations}
            limit={plan.evaluationsPerMonth}
            text={countText}
          />
        </div>
        <div>
          <Stat label={labels.storage} value={bytesText(storage.bytes)} context={labels.storageText} />
          <LimitBar label={labels.storageShare} used={storage.bytes} limit={plan.storageBytes} text={bytesText} />
        </div>
      </SimpleGrid>
      {isOver && (
        <Notice kind="warning" title={labels.limitReached}>
          {labels.limitReachedText(until)}
        </Notice>
      )}
      {!isOver && expected?.limitMs !== undefined && (
        <Notice kind="warning" title={labels.limitAhead(utcDayText(expected.limitMs))}>
          {labels.limitAheadText(until)}
        </Notice>
      )}
      {isFull && (
        <Notice kind="warning" title={labels.storageReached}>
          {labels.storageReachedText}
        </Notice>
      )}
    </>
  )
}

interface SpanControlProps {
  readonly span: Span
}

/** Chooses how far to look back; the choice is in the address. */
export function SpanControl({ span }: SpanControlProps) {
  const navigate = useNavigate()
  return (
    <SegmentedControl
      aria-label={labels.span}
      data={spans.map((each) => ({ value: String(each), label: labels.spans[each] }))}
      value={String(span)}
      onChange={(days) => {
        const search = (before: UsageSearch) => usageSearch({ ...before, days })
        void navigate({ to: '.', search, replace: true })
      }}
    />
  )
}

interface DaysSectionProps extends SpanControlProps {
  readonly usage: Usage
  /** Key of the only stage to show. */
  readonly stage: string | undefined
}

function DaysSection({ usage, span, stage }: DaysSectionProps) {
  const navigate = useNavigate()
  const nowMs = useNow()
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const stages = usageByStage(usage, firstDayMs(nowMs, span), projects).filter(
    ({ evaluations, reported }) => evaluations + reported > 0,
  )
  const days = useMemo(() => latestDays(usage, nowMs, span, stage), [usage, nowMs, span, stage])
  const columns = useMemo(
    () => days.map(({ startMs, evaluations }) => ({ label: utcDayText(startMs), values: [evaluations] })),
    [days],
  )
  const rows = days.filter(({ evaluations, reported }) => evaluations + reported > 0).toReversed()
  const hasReports = rows.some(({ reported }) => reported > 0)
  return (
    <Section title={labels.days}>
      <Group gap="xs">
        <SpanControl span={span} />
        <NativeSelect
          aria-label={labels.stage}
          value={stage ?? ''}
          data={[
            { value: '', label: labels.allStages },
            ...stages.map(({ key, place }) => ({ value: key, label: nameOf(projects, place) })),
          ]}
          onChange={({ currentTarget: { value } }) => {
            const search = (before: UsageSearch) => usageSearch({ ...before, stage: value })
            void navigate({ to: '.', search, replace: true })
          }}
        />
      </Group>
      {rows.length === 0 ? (
        <Text>{labels.none}</Text>
      ) : (
        <>
          <Plot label={labels.plot} series={[labels.evaluations]} columns={columns} />
          <details>
            <summary>{labels.figures}</summary>
            <FiguresTable
              label={labels.figuresTable}
              columns={[labels.day, labels.evaluations, ...(hasReports ? [labels.reported] : [])]}
              rows={rows.map(({ startMs, evaluations, reported }) => [
                utcDayText(startMs),
                countText(evaluations),
                ...(hasReports ? [countText(reported)] : []),
              ])}
            />
          </details>
        </>
      )}
    </Section>
  )
}

function nameOf(projects: readonly Project[], place: StageUsage['place']): string {
  return place ? stageName(projects, place.projectSlug, place.stageSlug) : labels.missingStages
}

const reportedColumn = {
  key: 'reported',
  header: labels.reported,
  align: 'end' as const,
  cell: ({ reported }: StageUsage) => countText(reported),
}

interface StagesSectionProps extends SpanControlProps {
  readonly usage: Usage
}

function StagesSection({ usage, span }: StagesSectionProps) {
  const nowMs = useNow()
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  const stages = usageByStage(usage, firstDayMs(nowMs, span), projects)
  return (
    <Section title={labels.stages} lead={labels.stagesLead(labels.spans[span])}>
      {stages.length === 0 ? (
        <Text>{labels.noStages}</Text>
      ) : (
        <DataTable
          label={labels.stages}
          columns={[
            {
              key: 'stage',
              header: labels.stage,
              cell: ({ place }) => <UsedStage place={place} />,
            },
            {
              key: 'evaluations',
              header: labels.evaluations,
              align: 'end',
              cell: ({ evaluations }) => countText(evaluations),
            },
            ...(stages.some(({ reported }) => reported > 0) ? [reportedColumn] : []),
            { key: 'stored', header: labels.stored, align: 'end', cell: ({ bytes }) => bytesText(bytes) },
          ]}
          rows={stages}
          keyOf={({ key }) => key}
        />
      )}
      {stages.some(({ reported }) => reported > 0) && (
        <Text size="sm" c="dimmed">
          {labels.reportedText}
        </Text>
      )}
      {stages.some(({ place }) => !place) && (
        <Text size="sm" c="dimmed">
          {labels.missingStagesText}
        </Text>
      )}
    </Section>
  )
}

interface MonthsSectionProps {
  readonly usage: Usage
}

function MonthsSection({ usage }: MonthsSectionProps) {
  const months = usageByMonth(usage)
  const first = months.findIndex(({ evaluations }) => evaluations > 0)
  return (
    <Section title={labels.months}>
      <DataTable
        label={labels.months}
        columns={[
          { key: 'month', header: labels.monthColumn, cell: ({ startMs }) => utcMonthText(startMs) },
          {
            key: 'evaluations',
            header: labels.evaluations,
            align: 'end',
            cell: ({ evaluations }) => countText(evaluations),
          },
        ]}
        rows={months.slice(first).toReversed()}
        keyOf={({ startMs }) => String(startMs)}
      />
    </Section>
  )
}
