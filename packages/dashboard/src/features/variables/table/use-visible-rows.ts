import { useLayoutEffect, useState, type RefObject } from 'react'

/** How many rows come and go at once while a person scrolls: fewer renderings, and none of them empty. */
const step = 8

interface VisibleRows {
  readonly first: number
  /** Not included. */
  readonly end: number
}

/** Which of many rows of a part of the page are worth rendering. `rowHeight`: in CSS pixels. */
export function useVisibleRows(body: RefObject<HTMLElement | null>, count: number, rowHeight: number): VisibleRows {
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(globalThis.innerHeight)
  useLayoutEffect(() => {
    const update = (): void => {
      const above = Math.max(0, -(body.current?.getBoundingClientRect().top ?? 0))
      setTop(Math.floor(above / rowHeight / step) * step)
      setHeight(globalThis.innerHeight)
    }
    update()
    // Whichever part of the page scrolls.
    document.addEventListener('scroll', update, { capture: true, passive: true })
    globalThis.addEventListener('resize', update)
    return () => {
      document.removeEventListener('scroll', update, { capture: true })
      globalThis.removeEventListener('resize', update)
    }
  }, [body, rowHeight])
  const shown = Math.ceil(height / rowHeight)
  const first = Math.max(0, Math.min(top, count - shown) - step)
  return { first, end: Math.min(count, first + shown + 3 * step) }
}
