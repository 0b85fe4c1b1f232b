import { Group, Text, useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useLayoutEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { shareText } from '../../lib/numbers.ts'
import type { ShareRange } from '../../data/rolls/served.ts'
import { labels } from './labels.ts'
import classes from './rolls.module.css'

interface ShareColumn {
  readonly label: string
  /** Undefined: nothing was served. */
  readonly share: number | undefined
  /** Undefined: unknown. */
  readonly expected: ShareRange | undefined
}

/** An event at a point in time. */
interface PlotMark {
  /** Position in columns, such as 2.5 for the end of the third. */
  readonly position: number
  readonly label: string
}

interface SharePlotProps {
  /** The accessible name. A table beside the plot has the figures. */
  readonly label: string
  readonly columns: readonly ShareColumn[]
  /** The latest first, because it keeps its label where there is no room for all. */
  readonly marks: readonly PlotMark[]
}

/** Plots the share of A over time with the expected range and the changes of the chance. */
export function SharePlot({ label, columns, marks }: SharePlotProps) {
  const { ref, width } = useElementSize()
  const [at, setAt] = useState<number | null>(null)
  const colorScheme = useComputedColorScheme('light')
  const pointed = at === null ? undefined : columns[at]
  return (
    <div ref={ref} className={classes['plot']}>
      <Group gap="md" mb="xs">
        <Text size="sm" fw={600}>
          {pointed?.label ?? labels.shareOfA}
        </Text>
        <Text size="sm">
          <span className={classes['key']} data-key="share" /> {labels.shareServed}{' '}
          {pointed && (pointed.share === undefined ? '–' : shareText(pointed.share, 1))}
        </Text>
        <Text size="sm">
          <span className={classes['key']} data-key="expected" /> {labels.expectedShare}{' '}
          {pointed && (pointed.expected ? labels.range(pointed.expected) : '–')}
        </Text>
      </Group>
      <ShareCanvas key={colorScheme} label={label} columns={columns} marks={marks} width={width} onPoint={setAt} />
    </div>
  )
}

interface ShareCanvasProps extends SharePlotProps {
  /** Width in CSS pixels; 0: not known yet. */
  readonly width: number
  /** Receives the column under the pointer, or null. */
  readonly onPoint: (at: number | null) => void
}

/** Draws the plot. It reads its colors from the style sheet once. */
function ShareCanvas({ label, columns, marks, width, onPoint }: ShareCanvasProps) {
  const canvas = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return undefined
    const data: uPlot.AlignedData = [columns.map((_, at) => at), columns.map(({ share }) => share ?? null)]
    const plot = new uPlot({ width, ...optionsOf(canvas.current, columns, marks, onPoint) }, data, canvas.current)
    return () => plot.destroy()
  }, [columns, marks, width, onPoint])
  return <div ref={canvas} className={classes['canvas']} role="img" aria-label={label} />
}

/** Height in CSS pixels. */
const height = 200
const labelWidth = 110
const markLabelWidth = 44
const fontSize = 12

/** Part of the scale that is free above and below. */
const margin = 0.05

function scaleOf(columns: readonly ShareColumn[]): [low: number, high: number] {
  const shares = columns.flatMap(({ share, expected }) =>
    [share ?? [], expected?.low ?? [], expected?.high ?? []].flat(),
  )
  return [Math.max(0, Math.min(...shares) - margin), Math.min(1, Math.max(...shares) + margin)]
}

const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

function optionsOf(
  element: HTMLElement,
  columns: readonly ShareColumn[],
  marks: readonly PlotMark[],
  onPoint: (at: number | null) => void,
): Omit<uPlot.Options, 'width'> {
  const style = getComputedStyle(element)
  const color = (name: string): string => style.getPropertyValue(`--plot-${name}`)
  const axis: uPlot.Axis = { stroke: color('text'), font: `${fontSize}px ${style.fontFamily}`, ticks: { show: false } }
  return {
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false } },
    padding: [16, null, 0, 0],
    scales: { x: { time: false, range: [-0.5, columns.length - 0.5] }, y: { range: scaleOf(columns) } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 32,
        gap: 8,
        space: labelWidth,
        incrs: wholeSteps,
        values: (_, places) => places.map((at) => columns[at]?.label ?? ''),
      },
      {
        ...axis,
        grid: { stroke: color('grid'), width: 1 },
        size: 56,
        values: (_, shares) => shares.map((share) => shareText(share, 1)),
      },
    ],
    series: [
      {},
      {
        stroke: color('share'),
        width: 2,
        points: { show: true, size: 6, fill: color('share'), stroke: color('share') },
      },
    ],
    hooks: {
      drawClear: [(plot) => drawExpected(plot, columns, color('expected'))],
      draw: [(plot) => drawMarks(plot, marks, color('text'), style.fontFamily)],
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
    },
  }
}

/** Draws the expected range of each column. */
function drawExpected(plot: uPlot, columns: readonly ShareColumn[], color: string): void {
  const { ctx } = plot
  ctx.save()
  ctx.fillStyle = color
  for (const [at, { expected }] of columns.entries()) {
    if (!expected) continue
    const left = plot.valToPos(at - 0.5, 'x', true)
    const top = plot.valToPos(expected.high, 'y', true)
    // Where everyone gets the same, the range is a line.
    const thickness = Math.max(2 * devicePixelRatio, plot.valToPos(expected.low, 'y', true) - top)
    ctx.fillRect(left, top, plot.valToPos(at + 0.5, 'x', true) - left, thickness)
  }
  ctx.restore()
}

/** Draws a line for each mark, and its label where there is room. */
function drawMarks(plot: uPlot, marks: readonly PlotMark[], color: string, fontFamily: string): void {
  const { ctx, bbox } = plot
  let free = Infinity
  ctx.save()
  ctx.strokeStyle = color
  ctx.fillStyle = color
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio])
  ctx.font = `${fontSize * devicePixelRatio}px ${fontFamily}`
  for (const { position, label } of marks) {
    const x = Math.round(plot.valToPos(position, 'x', true))
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    if (x > free) continue
    free = x - markLabelWidth * devicePixelRatio
    ctx.textAlign = x + markLabelWidth * devicePixelRatio > bbox.left + bbox.width ? 'right' : 'left'
    ctx.fillText(label, x, bbox.top - 4 * devicePixelRatio)
  }
  ctx.restore()
}
