import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { countText, shareText } from '../../lib/numbers.ts'
import { dayText, hourText, zoneName } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { ByLine } from '../../ui/time.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { FiguresTable } from '../../ui/figures-table.tsx'
import { IconCopyButton } from '../../ui/copy.tsx'
import { IconToken, IconUsage } from '../../ui/icons.ts'
import { Plot } from '../../ui/plot.tsx'
import { Panel } from '../../ui/page.tsx'
import { RowsSkeleton } from '../../ui/loading.tsx'
import { useAuthorName } from '../history/queries.ts'
import type { Place } from '../variables/queries.ts'
import { labels } from './labels.ts'
import { rollChangesQuery, rollCountsQuery } from './queries.ts'
import classes from './rolls.module.css'
import {
  type ChanceChange,
  chanceChanges,
  type Hour,
  positionIn,
  type Served,
  servedOver,
  type SpanName,
  spans,
} from './served.ts'
import { SharePlot } from './share-plot.tsx'

const { served: words } = labels

interface ServedSectionProps {
  readonly place: Place
  readonly name: string
}

const spanNames = Object.keys(spans) as SpanName[]

/** Shows how often A and B were served in the latest hours or days. */
export function ServedSection({ place, name }: ServedSectionProps) {
  const [span, setSpan] = useState<SpanName>('24h')
  const scope = useScope()
  const { data, error, dataUpdatedAt } = useQuery(rollCountsQuery(scope, place, name, span))
  const history = useQuery(rollChangesQuery(scope, place, name))
  const changes = useMemo(() => chanceChanges(history.data ?? []), [history.data])
  return (
    <Panel
      title={words.title}
      lead={words.lead}
      actions={
        <SegmentedControl
          classNames={{ label: classes['span'] ?? '' }}
          aria-label={words.span}
          data={spanNames.map((value) => ({ value, label: words.spans[value] }))}
          value={span}
          onChange={setSpan}
        />
      }
    >
      <ErrorNotice error={error} />
      {!data && !error && <RowsSkeleton rows={8} />}
      {data?.length === 0 && <NothingServed place={place} />}
      {data && data.length > 0 && <Counts hours={data} changes={changes} span={span} nowMs={dataUpdatedAt} />}
    </Panel>
  )
}

interface NothingServedProps {
  readonly place: Place
}

/** Explains how to evaluate a stage. */
function NothingServed({ place: { projectSlug, stageSlug } }: NothingServedProps) {
  const { publicUrl } = useSettings()
  return (
    <EmptyState
      icon={IconUsage}
      title={words.none}
      command={{
        what: words.command,
        text: `node rollkey.mjs pull --url ${publicUrl} --project ${projectSlug} --stage ${stageSlug}`,
      }}
    >
      {words.noneText}
    </EmptyState>
  )
}

interface CountsProps {
  readonly hours: readonly Hour[]
  readonly changes: readonly ChanceChange[]
  readonly span: SpanName
  /** The time of the counts. */
  readonly nowMs: number
}

function Counts({ hours, changes, span, nowMs }: CountsProps) {
  const { by } = spans[span]
  const served = useMemo(() => servedOver(hours, span, nowMs), [hours, span, nowMs])
  const shown = useMemo(() => changes.filter(({ atMs }) => atMs >= (served[0]?.startMs ?? 0)), [changes, served])
  const labeled = useMemo(
    () => served.map((each) => ({ ...each, label: by === 'hour' ? hourText(each.startMs) : dayText(each.startMs) })),
    [served, by],
  )
  const shares = useMemo(
    () =>
      labeled.map(({ label, a, b, expected }) => ({ label, share: a + b === 0 ? undefined : a / (a + b), expected })),
    [labeled],
  )
  const marks = useMemo(
    () => shown.map(({ atMs, to }) => ({ position: positionIn(served, span, atMs) ?? 0, label: shareText(to, 1) })),
    [shown, served, span],
  )
  const columns = useMemo(() => labeled.map(({ label, a, b }) => ({ label, values: [a, b] })), [labeled])
  return (
    <>
      <SharePlot label={words.sharePlot(span, by)} columns={shares} marks={marks} />
      <Plot label={words.plot(span, by)} series={[labels.a, labels.b]} columns={columns} />
      {shown.length > 0 && <ChangeList changes={shown} />}
      <Figures served={labeled} by={by} />
    </>
  )
}

interface ChangeListProps {
  /** The newest first. */
  readonly changes: readonly ChanceChange[]
}

/** Lists who changed the chance, and when: the marks of the plot. */
function ChangeList({ changes }: ChangeListProps) {
  const authorName = useAuthorName()
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {words.changes}
      </Text>
      <ul className={`plain-list ${classes['changes']}`}>
        {changes.map(({ change, from, to, atMs }) => (
          <li key={change.revision}>
            <span>{words.change(from, to)}</span>
            <ByLine
              name={authorName(change)}
              ms={atMs}
              {...(change.writtenBy.startsWith('tok_') && { icon: IconToken })}
            />
          </li>
        ))}
      </ul>
    </Stack>
  )
}

interface FiguresProps {
  readonly served: readonly (Served & { readonly label: string })[]
  readonly by: 'hour' | 'day'
}

/** Shows the figures of the plots, to read and to copy. */
function Figures({ served, by }: FiguresProps) {
  const columns = [
    words.start[by](zoneName(served[0]?.startMs ?? 0)),
    words.count,
    labels.a,
    labels.b,
    labels.shareOfA,
    words.expected,
  ]
  const rows = served
    .toReversed()
    .filter(({ a, b }) => a + b > 0)
    .map(({ label, a, b, expected }) => [
      label,
      countText(a + b),
      countText(a),
      countText(b),
      shareText(a, a + b),
      expected ? labels.range(expected) : '–',
    ])
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {words.figures[by]}
        </Text>
        <IconCopyButton label={words.copy} value={[columns, ...rows].map((row) => row.join('\t')).join('\n')} />
      </Group>
      <FiguresTable label={words.table[by]} columns={columns} rows={rows} />
      <Text size="sm" c="dimmed">
        {words.expectedText}
      </Text>
    </Stack>
  )
}
