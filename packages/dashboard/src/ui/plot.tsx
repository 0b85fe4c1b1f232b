import { Group, Text, useComputedColorScheme } from '@mantine/core'
import { compactText, countText } from '../lib/numbers.ts'
import { useElementSize } from '@mantine/hooks'
import { useLayoutEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import classes from './plot.module.css'
import { labels } from './labels.ts'

interface PlotProps {
  /** The accessible name. A table beside the plot has the figures. */
  readonly label: string
  /** Names of the parts of each bar, the lowest first. */
  readonly series: readonly string[]
  /** Bars. The plot redraws when they change. */
  readonly columns: readonly Column[]
  /**
   * Whether it is low and without totals, which a number beside it shows.
   * @default false
   */
  readonly isCompact?: boolean
}

function sumOf(columns: readonly Column[], series: number): number {
  return columns.reduce((sum, { values }) => sum + (values[series] ?? 0), 0)
}

/** Plots stacked bars. Above them are the figures of the bar under the pointer, otherwise the totals. */
export function Plot({ label, series, columns, isCompact = false }: PlotProps) {
  const { ref, width } = useElementSize()
  const [at, setAt] = useState<number | null>(null)
  const colorScheme = useComputedColorScheme('light')
  const pointed = at === null ? undefined : columns[at]
  const height = isCompact ? compactHeight : usualHeight
  return (
    <div
      ref={ref}
      className={classes['plot']}
      data-single={series.length === 1 || undefined}
      data-compact={isCompact || undefined}
    >
      {isCompact && !pointed ? (
        <Text size="sm" mb="xs">
          {'\u00a0'}
        </Text>
      ) : (
        <Group gap="md" mb="xs">
          <Text size="sm" fw={600}>
            {pointed?.label ?? labels.total}
          </Text>
          {series.map((name, index) => (
            <Text key={name} size="sm">
              <span className={classes['mark']} data-series={index} /> {name}{' '}
              {countText(sumOf(pointed ? [pointed] : columns, index))}
            </Text>
          ))}
        </Group>
      )}
      <PlotCanvas key={colorScheme} label={label} columns={columns} width={width} height={height} onPoint={setAt} />
    </div>
  )
}

interface PlotCanvasProps {
  readonly label: string
  readonly columns: readonly Column[]
  /** Width in CSS pixels; 0: not known yet. */
  readonly width: number
  /** Height in CSS pixels. */
  readonly height: number
  /** Receives the column under the pointer, or null. */
  readonly onPoint: (at: number | null) => void
}

/** Draws the bars. It reads its colors from the style sheet once. */
function PlotCanvas({ label, columns, width, height, onPoint }: PlotCanvasProps) {
  const canvas = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return undefined
    const plot = new uPlot(
      { width, height, ...barsOf(canvas.current, columns, height < usualHeight ? 2 : 4, onPoint) },
      stacked(columns),
      canvas.current,
    )
    return () => plot.destroy()
  }, [columns, width, height, onPoint])
  return <div ref={canvas} className={classes['canvas']} role="img" aria-label={label} />
}

interface Column {
  readonly label: string
  /** Values of the series, the lowest part of the bar first. */
  readonly values: readonly number[]
}

/** Height in CSS pixels. */
const usualHeight = 220
const compactHeight = 120
const axisHeight = 32
const labelWidth = 110
const widestBar = 40

const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

/** Stacks each series on those before it. uPlot draws later ones over earlier ones, so the highest is first. */
function stacked(columns: readonly Column[]): uPlot.AlignedData {
  const heights = (columns[0]?.values ?? []).map((_, index) =>
    // An empty bar is omitted, because uPlot would draw its outline.
    columns.map(({ values }) => values.slice(0, index + 1).reduce((sum, value) => sum + value, 0) || null),
  )
  return [columns.map((_, at) => at), ...heights.toReversed()]
}

/** Returns the step between the labels of an axis from 0, of which there are at most `ticks`. */
function stepOf(most: number, ticks: number): number {
  return wholeSteps.find((step) => most <= step * ticks) ?? most
}

/** Returns the end of the axis, which has a label and is not below the highest bar. */
export function topOf(most: number, ticks: number): number {
  const step = stepOf(most, ticks)
  return Math.max(1, Math.ceil(most / step)) * step
}

export function splitsOf(top: number, ticks: number): number[] {
  const step = stepOf(top, ticks)
  return Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step)
}

/** Returns the options of uPlot. `onPoint` receives the column under the pointer, or null. */
function barsOf(
  element: HTMLElement,
  columns: readonly Column[],
  ticks: number,
  onPoint: (at: number | null) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(element)
  const color = (name: string): string => style.getPropertyValue(`--plot-${name}`)
  const axis: uPlot.Axis = { stroke: color('text'), font: `12px ${style.fontFamily}`, ticks: { show: false } }
  const names = (columns[0]?.values ?? []).map((_, index) => `series-${index}`)
  return {
    legend: { show: false },
    cursor: { y: false, drag: { x: false }, points: { show: false } },
    padding: [8, null, 0, 0],
    scales: {
      x: { time: false, range: [-0.5, columns.length - 0.5] },
      y: { range: (_, _least, most) => [0, topOf(most, ticks)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: axisHeight,
        gap: 8,
        space: labelWidth,
        incrs: wholeSteps,
        values: (_, places) => places.map((at) => columns[at]?.label ?? ''),
      },
      {
        ...axis,
        grid: { stroke: color('grid'), width: 1 },
        splits: (plot) => splitsOf(plot.scales['y']?.max ?? 1, ticks),
        values: (_, counts) => counts.map((count) => compactText(count)),
      },
    ],
    series: [
      {},
      ...names.toReversed().map((name) => ({
        fill: color(name),
        stroke: color('ground'),
        width: 1,
        points: { show: false },
        ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.8, widestBar] }) }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
}
