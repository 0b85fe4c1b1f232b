import { useMemo } from 'react'
import { countText, shareText } from '../../lib/numbers.ts'
import { dayText, hourText } from '../../lib/time.ts'
import { FiguresTable } from '../../ui/figures-table.tsx'
import { Plot } from '../../ui/plot.tsx'
import { fitOf } from './fit.ts'
import { servedOver, spans, type Hour, type SpanName } from './served.ts'
import { FitNotice } from './fit-notice.tsx'

interface CountsProps {
  readonly hours: readonly Hour[]
  readonly span: SpanName
  /** When they were counted. */
  readonly nowMs: number
}

export function Counts({ hours, span, nowMs }: CountsProps) {
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
