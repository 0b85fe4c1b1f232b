import { type RefObject, useLayoutEffect, useState } from 'react'

/** How many columns beyond the edges are drawn too, so that the Tab key reaches them. */
const beyond = 3

interface VisibleColumns {
  readonly first: number
  readonly end: number
}

/** Returns the range of columns near what a box shows, which scrolls by itself. `width`: of a column, in CSS pixels. */
export function useVisibleColumns(box: RefObject<HTMLElement | null>, count: number, width: number): VisibleColumns {
  const [from, setFrom] = useState(0)
  const [shown, setShown] = useState(1)
  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const update = (): void => {
      setFrom(Math.floor(current.scrollLeft / width))
      setShown(Math.ceil(current.clientWidth / width) + 1)
    }
    update()
    const observer = new ResizeObserver(update)
    observer.observe(current)
    current.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', update)
    }
  }, [box, width])
  const end = Math.min(count, from + shown + beyond)
  return { first: Math.max(0, Math.min(from - beyond, end - 1)), end }
}
