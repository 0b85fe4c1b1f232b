import { type KeyboardEvent, useCallback, useRef, useState } from 'react'
import { toggled } from '../../../lib/sets.ts'
import type { Row } from '../comparison.ts'
import { range } from './table-view.ts'

export interface Selection {
  /** Names of variables. */
  readonly selected: ReadonlySet<string>
  /** Selects a variable or no longer; with `isRange` also all rows since the last one. */
  readonly select: (name: string, isRange: boolean) => void
  /** Selects all rows, or none where all are. */
  readonly selectAll: () => void
  readonly clear: () => void
  /** Does what a key means in the row of the variable. */
  readonly onKey: (event: KeyboardEvent, name: string | undefined) => void
}

/** `rows`: those that are shown. */
export function useSelection(rows: readonly Row[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<string>(undefined)
  const select = useCallback(
    (name: string, isRange: boolean) => {
      const from = anchor.current
      anchor.current = name
      setSelected((now) =>
        isRange && from !== undefined ? new Set([...now, ...range(rows, from, name)]) : toggled(now, name),
      )
    },
    [rows],
  )
  const clear = useCallback(() => setSelected(new Set()), [])
  const selectAll = (): void => {
    const names = rows.map(({ name }) => name)
    setSelected((now) => new Set(names.every((name) => now.has(name)) ? [] : names))
  }
  const onKey = (event: KeyboardEvent, name: string | undefined): void => {
    const { key, shiftKey } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (key.toLowerCase() === 'x' && name !== undefined) select(name, shiftKey)
    else if (key === 'Escape' && selected.size > 0) clear()
    else return
    event.preventDefault()
  }
  return { selected, select, selectAll, clear, onKey }
}
