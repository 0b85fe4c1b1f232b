import { useCallback, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react'

export interface Position {
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
  /** The one cell that the Tab key reaches. */
  readonly active: Position
  readonly setActive: (position: Position) => void
  readonly grid: RefObject<HTMLDivElement | null>
  /** Gives the focus to the active cell. */
  readonly focusActive: () => void
  /** Moves the focus. Returns whether the key did so. */
  readonly move: (event: KeyboardEvent) => boolean
}

/** One stop of the Tab key for a whole grid; the arrow keys move within it. `start`: the column that it begins in. */
export function useGridFocus(rows: number, columns: number, start: number): GridFocus {
  const [asked, setActive] = useState<Position>({ row: 0, column: start })
  const active = { row: within(rows, asked.row), column: within(columns, asked.column) }
  const grid = useRef<HTMLDivElement>(null)
  const isMoving = useRef(false)
  const focusActive = useCallback(
    () => grid.current?.querySelector<HTMLElement>('[data-grid-cell][tabindex="0"]')?.focus(),
    [],
  )
  useLayoutEffect(() => {
    if (isMoving.current) focusActive()
    isMoving.current = false
  })
  const move = (event: KeyboardEvent): boolean => {
    const next = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key]?.(active)
    if (!next) return false
    event.preventDefault()
    isMoving.current = true
    setActive({ row: within(rows, next.row), column: within(columns, next.column) })
    return true
  }
  return { active, setActive, grid, focusActive, move }
}
