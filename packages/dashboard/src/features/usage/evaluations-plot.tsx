import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { countText } from '../../lib/numbers.ts'
import { FiguresTable } from '../../ui/figures-table.tsx'
import { Plot } from '../../ui/plot.tsx'
import type { Used } from './usage.ts'

interface EvaluationsPlotProps {
  readonly by: 'day' | 'month'
  readonly used: readonly Used[]
  /** Of the beginning of each. */
  readonly text: (timeMs: number) => string
}

export function EvaluationsPlot({ by, used, text }: EvaluationsPlotProps) {
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
