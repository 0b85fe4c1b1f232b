import { Group, Text, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useState } from 'react'
import { countText } from '../lib/numbers.ts'
import type { Column } from './plot-bars.ts'
import { PlotCanvas } from './plot-canvas.tsx'
import classes from './plot.module.css'

interface PlotProps {
  /** What it shows, for those who do not see it; a table beside it has the figures. */
  readonly label: string
  /** What each bar is made of, the lowest first. */
  readonly series: readonly string[]
  /** Drawn anew when they are others. */
  readonly columns: readonly Column[]
}

function sumOf(columns: readonly Column[], series: number): number {
  return columns.reduce((sum, { values }) => sum + (values[series] ?? 0), 0)
}

/** Stacked bars. The figures of the bar under the pointer are above them, else their sums. */
export function Plot({ label, series, columns }: PlotProps) {
  const { ref, width } = useElementSize()
  const [at, setAt] = useState<number | null>(null)
  const colorScheme = useComputedColorScheme('light')
  const pointed = at === null ? undefined : columns[at]
  return (
    <div ref={ref} className={classes['plot']}>
      <Group gap="md" mb="xs">
        <Text size="sm" fw={600}>
          {pointed?.label ?? 'In all'}
        </Text>
        {series.map((name, index) => (
          <Text key={name} size="sm">
            <span className={classes['mark']} data-series={index} /> {name}{' '}
            {countText(sumOf(pointed ? [pointed] : columns, index))}
          </Text>
        ))}
      </Group>
      <PlotCanvas key={colorScheme} label={label} columns={columns} width={width} onPoint={setAt} />
    </div>
  )
}
