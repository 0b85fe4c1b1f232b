import { useLayoutEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { barsOf, stacked, type Column } from './plot-bars.ts'
import classes from './plot.module.css'

interface PlotCanvasProps {
  readonly label: string
  readonly columns: readonly Column[]
  /** In CSS pixels; 0: not known yet. */
  readonly width: number
  /** Told of the column under the pointer, or null. */
  readonly onPoint: (at: number | null) => void
}

/** The drawing of a Plot. It takes its colors from the style sheet once, when it is made. */
export function PlotCanvas({ label, columns, width, onPoint }: PlotCanvasProps) {
  const canvas = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return undefined
    const plot = new uPlot({ width, ...barsOf(canvas.current, columns, onPoint) }, stacked(columns), canvas.current)
    return () => plot.destroy()
  }, [columns, width, onPoint])
  return <div ref={canvas} className={classes['canvas']} role="img" aria-label={label} />
}
