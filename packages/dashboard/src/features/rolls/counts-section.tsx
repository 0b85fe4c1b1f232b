import { SegmentedControl, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Section } from '../../ui/section.tsx'
import { useScope } from '../../session/use-scope.ts'
import type { Place } from '../variables/queries.ts'
import { RollkeyCommand } from '../../ui/rollkey-command.tsx'
import { useSettings } from '../../session/use-settings.ts'
import { countText, shareText } from '../../lib/numbers.ts'
import { dayText, hourText } from '../../lib/time.ts'
import { FiguresTable } from '../../ui/figures-table.tsx'
import { Plot } from '../../ui/plot.tsx'
import { Notice } from '../../ui/notice.tsx'
import { rollCountsQuery } from './queries.ts'
import { type Hour, servedOver, type SpanName, spans } from './served.ts'
import classes from './counts-section.module.css'
import { type Fit, fitOf } from './fit.ts'

interface CountsSectionProps {
  readonly place: Place
  readonly name: string
}

const names = Object.keys(spans) as SpanName[]

/** How often A and B were served. */
export function CountsSection({ place, name }: CountsSectionProps) {
  const [span, setSpan] = useState<SpanName>('24 hours')
  const { data, error, dataUpdatedAt } = useQuery(rollCountsQuery(useScope(), place, name, span))
  return (
    <Section title="Served">
      <SegmentedControl
        classNames={{ label: classes['span'] }}
        aria-label="Time"
        data={names}
        value={span}
        onChange={setSpan}
      />
      <ErrorNotice error={error} />
      {!data && !error && <Loading />}
      {data?.length === 0 && <NothingServed place={place} />}
      {data && data.length > 0 && <Counts hours={data} span={span} nowMs={dataUpdatedAt} />}
    </Section>
  )
}

interface NothingServedProps {
  readonly place: Place
}

/** What makes counts, where there are none. */
function NothingServed({ place: { projectSlug, stageSlug } }: NothingServedProps) {
  const { publicUrl } = useSettings()
  return (
    <>
      <Text>
        Nothing was served in this time. What applications evaluate shows here some seconds later. From a terminal that
        is logged in, this evaluates the whole stage:
      </Text>
      <RollkeyCommand
        what="the command that evaluates the stage"
        lines={[`pull --url ${publicUrl} --project ${projectSlug} --stage ${stageSlug}`]}
      />
    </>
  )
}

interface CountsProps {
  readonly hours: readonly Hour[]
  readonly span: SpanName
  /** When they were counted. */
  readonly nowMs: number
}

function Counts({ hours, span, nowMs }: CountsProps) {
  const { by } = spans[span]
  const columns = useMemo(
    () =>
      servedOver(hours, span, nowMs).map(({ startMs, a, b }) => ({
        label: by === 'hour' ? hourText(startMs) : dayText(startMs),
        values: [a, b],
      })),
    [hours, span, nowMs, by],
  )
  const rows = columns
    .toReversed()
    .filter(({ values: [a = 0, b = 0] }) => a + b > 0)
    .map(({ label, values: [a = 0, b = 0] }) => [label, countText(a), countText(b), shareText(a, a + b)])
  return (
    <>
      <Plot label={`A and B served over the last ${span}, by ${by}`} series={['A', 'B']} columns={columns} />
      <FitNotice fit={fitOf(hours)} />
      <FiguresTable
        label={`A and B served by ${by}`}
        columns={[by === 'hour' ? 'Hour from' : 'Day', 'A', 'B', 'Share of A']}
        rows={rows}
      />
    </>
  )
}

interface FitNoticeProps {
  readonly fit: Fit
}

/** Whether what was served fits the chance. The test takes every evaluation for another user's, which they are not. */
function FitNotice({ fit: { verdict, sentence } }: FitNoticeProps) {
  if (verdict !== 'differs') return <Text>{sentence}</Text>
  return (
    <Notice kind="warning" title="The split does not fit the chance">
      {sentence} These are evaluations, not users: somebody with a seed always gets the same, and counts each time. So a
      few users who are evaluated often can do this. If that is not it, look for clients that send the same seed for
      everybody.
    </Notice>
  )
}
