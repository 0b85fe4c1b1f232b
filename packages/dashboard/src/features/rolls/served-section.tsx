import type { StageSlugs } from '@rollkey/sdk/core'
import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import type { ServedCounts } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { countText, shareText } from '../../lib/numbers.ts'
import { dayText, hourText, zoneName } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { useSettings } from '../../session/settings.ts'
import { ByLine } from '../../ui/time.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FiguresTable } from '../../ui/figures-table.tsx'
import { IconCopyButton } from '../../ui/copy.tsx'
import { IconToken, IconUsage } from '../../ui/icons.ts'
import { Plot } from '../../ui/plot.tsx'
import { Panel } from '../../ui/page.tsx'
import { LoadError, RowsSkeleton } from '../../ui/loading.tsx'
import { documentationUrl } from '../../ui/labels.ts'
import { isByMachine, useAuthorName } from '../../data/history/queries.ts'
import { labels } from './labels.ts'
import { rollChangesQuery, rollCountsQuery } from '../../data/rolls/queries.ts'
import classes from './rolls.module.css'
import {
  type ChanceChange,
  chanceChanges,
  type Hour,
  isTelling,
  isTooFew,
  positionIn,
  type Served,
  type ShareRange,
  servedOver,
  type SpanName,
  spanNames,
  spans,
  usualSpan,
} from '../../data/rolls/served.ts'
import { SharePlot } from './share-plot.tsx'
import { type Sides, labels as sharedLabels } from '../../data/rolls/labels.ts'

const { served: words } = labels

interface ServedSectionProps {
  readonly place: StageSlugs
  readonly name: string
  readonly sides: Sides | undefined
}

/** Shows how often A and B were served in the latest hours or days. */
export function ServedSection({ place, name, sides }: ServedSectionProps) {
  const scope = useScope()
  const { span, choose, counts, error, nowMs } = useCounts(place, name)
  const history = useQuery(rollChangesQuery(scope, place, name))
  const changes = useMemo(() => chanceChanges(history.data ?? []), [history.data])
  return (
    <Panel
      title={words.title}
      lead={
        <>
          {sharedLabels.servedDefinition} {words.outcome}{' '}
          <Anchor href={`${documentationUrl}rolls#which-side-does-better`}>{words.outcomeLink}</Anchor>
        </>
      }
      actions={
        <SegmentedControl
          classNames={{ label: classes['span'] ?? '' }}
          aria-label={words.span}
          data={spanNames.map((value) => ({ value, label: words.spans[value] }))}
          value={span}
          onChange={choose}
        />
      }
    >
      <LoadError error={error} />
      {!counts && !error && <RowsSkeleton rows={8} />}
      {counts?.length === 0 && <NothingServed place={place} span={span} />}
      {counts && counts.length > 0 && <Counts hours={counts} {...{ changes, span, nowMs, sides }} />}
    </Panel>
  )
}

/** Returns the counts of a span: of the chosen one, or first of one whose hours or days are enough to mean something. */
function useCounts(place: StageSlugs, name: string) {
  const scope = useScope()
  const [span, choose] = useState<SpanName>()
  const queryOf = (of: SpanName) => rollCountsQuery(scope, place, name, of)
  const shown = useQuery(queryOf(span ?? '24h'))
  const isWaiting = span === undefined
  const isEnough = shown.data !== undefined && isTelling(shown.data, '24h', shown.dataUpdatedAt)
  // Of a roll that is served seldom, the longest span has few hours.
  const longest = useQuery({ ...queryOf('90d'), enabled: isWaiting && shown.data !== undefined && !isEnough })
  if (isWaiting && isEnough) choose('24h')
  if (isWaiting && !isEnough && longest.data) choose(usualSpan(longest.data, longest.dataUpdatedAt))
  const error = shown.error ?? (isWaiting ? longest.error : null)
  return { span: span ?? '24h', choose, counts: isWaiting ? undefined : shown.data, error, nowMs: shown.dataUpdatedAt }
}

interface NothingServedProps {
  readonly place: StageSlugs
  readonly span: SpanName
}

/** Explains how to evaluate a stage. */
function NothingServed({ place: { projectSlug, stageSlug }, span }: NothingServedProps) {
  const { publicUrl } = useSettings()
  return (
    <EmptyState
      icon={IconUsage}
      title={words.none(span)}
      command={{
        what: words.command,
        text: `rollkey pull \\\n  --url ${publicUrl} \\\n  --project ${projectSlug} --stage ${stageSlug}`,
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
  readonly sides: Sides | undefined
}

function Counts({ hours, changes, span, nowMs, sides }: CountsProps) {
  const { by } = spans[span]
  const served = useMemo(() => servedOver(hours, span, nowMs), [hours, span, nowMs])
  const shown = useMemo(() => changes.filter(({ atMs }) => atMs >= (served[0]?.startMs ?? 0)), [changes, served])
  const labeled = useMemo(
    () => served.map((each) => ({ ...each, label: by === 'hour' ? hourText(each.startMs) : dayText(each.startMs) })),
    [served, by],
  )
  const shares = useMemo(
    () =>
      labeled.map(({ label, byChance: { a, b }, expected }) => ({
        label,
        share: a + b === 0 ? undefined : a / (a + b),
        expected: expected && isTooFew({ a, b }, expected) ? undefined : expected,
      })),
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
      <Plot
        label={words.plot(span, by)}
        series={[labels.side('a', sides), labels.side('b', sides)]}
        columns={columns}
      />
      {shown.length > 0 && <ChangeList changes={shown} />}
      <Figures served={labeled} by={by} sides={sides} />
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
            <ByLine name={authorName(change)} ms={atMs} {...(isByMachine(change) && { icon: IconToken })} />
          </li>
        ))}
      </ul>
    </Stack>
  )
}

/** Returns a share, and whether it is outside the expected range. */
function shareWords(counts: ServedCounts, expected: ShareRange | undefined): string {
  const { a, b } = counts
  if (a + b === 0) return '–'
  const share = a / (a + b)
  const text = shareText(share, 1)
  if (!expected || isTooFew(counts, expected)) return text
  if (share < expected.low) return words.outside.below(text)
  return share > expected.high ? words.outside.above(text) : text
}

function expectedWords(counts: ServedCounts, expected: ShareRange | undefined): string {
  if (!expected) return '–'
  return isTooFew(counts, expected) ? words.tooFew : labels.range(expected)
}

interface FiguresProps {
  readonly served: readonly (Served & { readonly label: string })[]
  readonly by: 'hour' | 'day'
  readonly sides: Sides | undefined
}

/** Shows the figures of the plots, to read and to copy. */
function Figures({ served, by, sides }: FiguresProps) {
  const hasSteps = served.some(({ pins, rules }) => pins.a + pins.b + rules.a + rules.b > 0)
  const hasReports = served.some(({ reported }) => reported.a + reported.b > 0)
  const columns = [
    words.start[by](zoneName(served[0]?.startMs ?? 0)),
    words.count,
    ...(hasReports ? [words.reported] : []),
    ...(hasSteps ? [words.byPins, words.byRules, words.byChance] : []),
    labels.name('a', sides),
    labels.name('b', sides),
    hasSteps ? words.shareOfAByChance : words.shareOfA,
    words.expected,
  ]
  const rows = served
    .toReversed()
    .filter(({ a, b }) => a + b > 0)
    .map(({ label, a, b, pins, rules, byChance, reported, expected }) => [
      label,
      countText(a + b),
      ...(hasReports ? [countText(reported.a + reported.b)] : []),
      ...(hasSteps ? [pins, rules, byChance].map((step) => countText(step.a + step.b)) : []),
      countText(a),
      countText(b),
      shareWords(byChance, expected),
      expectedWords(byChance, expected),
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
