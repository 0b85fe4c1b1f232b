import { useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react'

interface Position {
  readonly row: number
  readonly column: number
}

const pageRows = 10

/** Where each key leads (ARIA Authoring Practices, "Grid"); the edges are minded afterwards. */
const moves: Readonly<Record<string, (from: Position) => Position>> = {
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  PageUp: ({ row, column }) => ({ row: row - pageRows, column }),
  PageDown: ({ row, column }) => ({ row: row + pageRows, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }) => ({ row, column: Infinity }),
}

function within(count: number, index: number): number {
  return Math.max(0, Math.min(index, count - 1))
}

interface GridFocus {
  /** Of the one cell that the Tab key reaches. */
  readonly active: Position
  readonly setActive: (position: Position) => void
  readonly grid: RefObject<HTMLDivElement | null>
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/** One stop of the Tab key for a whole grid; the arrow keys move within it. */
export function useGridFocus(rows: number, columns: number): GridFocus {
  const [asked, setActive] = useState<Position>({ row: 0, column: 0 })
  const active = { row: within(rows, asked.row), column: within(columns, asked.column) }
  const grid = useRef<HTMLDivElement>(null)
  const isMoving = useRef(false)
  useLayoutEffect(() => {
    if (isMoving.current) grid.current?.querySelector<HTMLElement>('[role=gridcell] [tabindex="0"]')?.focus()
    isMoving.current = false
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    const isInCell = (event.target as HTMLElement).closest('[role=gridcell]') !== null
    const next = moves[event.key]?.(active)
    if (!next || !isInCell) return
    event.preventDefault()
    isMoving.current = true
    setActive({ row: within(rows, next.row), column: within(columns, next.column) })
  }
  return { active, setActive, grid, onKeyDown }
}
