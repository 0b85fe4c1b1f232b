import { type KeyboardEvent, useCallback, useRef, useState } from 'react'
import { toggled } from '../../../lib/sets.ts'
import type { Row } from '../comparison.ts'
import { range } from './table-view.ts'

export interface Selection {
  /** Names of variables. */
  readonly selected: ReadonlySet<string>
  /** Selects a variable or no longer; with `isRange` also all rows since the last one. */
  readonly select: (name: string, isRange: boolean) => void
  readonly areAllSelected: boolean
  /** Selects all rows, or none where all are. */
  readonly selectAll: () => void
  readonly clear: () => void
}

/** Whether a key is part of a shortcut of the browser. */
export function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey
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
  const areAllSelected = rows.length > 0 && rows.every(({ name }) => selected.has(name))
  const selectAll = (): void => setSelected(new Set(areAllSelected ? [] : rows.map(({ name }) => name)))
  return { selected, select, areAllSelected, selectAll, clear }
}
