import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { barsOf, stacked, type Column } from './plot-bars.ts'

interface PlotCanvasProps {
  readonly label: string
  readonly columns: readonly Column[]
  /** In CSS pixels. */
  readonly width: number
  /** Told of the column under the pointer, or null. */
  readonly onPoint: (at: number | null) => void
}

/** The drawing of a Plot. It takes its colors from the style sheet once, when it is made. */
export function PlotCanvas({ label, columns, width, onPoint }: PlotCanvasProps) {
  const canvas = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!canvas.current) return undefined
    const plot = new uPlot({ width, ...barsOf(canvas.current, columns, onPoint) }, stacked(columns), canvas.current)
    return () => plot.destroy()
  }, [columns, width, onPoint])
  return <div ref={canvas} role="img" aria-label={label} />
}
