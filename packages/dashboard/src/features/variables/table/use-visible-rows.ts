import { useState, type UIEvent } from 'react'

/** So many rows at once come and go while one scrolls: fewer renderings, and none of them empty. */
const step = 12

interface VisibleRows {
  readonly first: number
  /** Not included. */
  readonly end: number
  readonly onScroll: (event: UIEvent<HTMLElement>) => void
}

/** Which of many rows of one height are worth rendering. `rowHeight` in CSS pixels. */
export function useVisibleRows(count: number, rowHeight: number): VisibleRows {
  const [top, setTop] = useState(0)
  // What is scrolled is never higher than the window.
  const shown = Math.ceil(globalThis.innerHeight / rowHeight)
  const first = Math.max(0, Math.min(top, count - shown) - step)
  return {
    first,
    end: Math.min(count, first + shown + 3 * step),
    onScroll: ({ currentTarget }) => setTop(Math.floor(currentTarget.scrollTop / rowHeight / step) * step),
  }
}
