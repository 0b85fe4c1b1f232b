import { useCallback, useMemo, type CSSProperties, type Dispatch, type SetStateAction } from 'react'
import { toggled } from '../../../lib/sets.ts'
import { useChanges } from '../../changes/changes-context.ts'
import { useGridFocus } from './use-grid-focus.ts'
import { useVisibleRows } from './use-visible-rows.ts'
import type { Row } from '../comparison.ts'
import type { Project, Stage } from '../../projects/queries.ts'
import type { Target } from '../editor/variable-drawer.tsx'
import { GridHead } from './grid-head.tsx'
import { GridRow } from './grid-row.tsx'
import { SelectCell } from './select-cell.tsx'
import classes from './variables-grid.module.css'

/** In CSS pixels; the style sheet is told. */
const rowHeight = 60

/** Names of variables; undefined: there is nothing to select. */
export type Selected = ReadonlySet<string> | undefined

interface VariablesGridProps {
  readonly project: Project
  readonly stages: readonly Stage[]
  readonly rows: readonly Row[]
  readonly selected: Selected
  readonly onSelect: Dispatch<SetStateAction<Selected>>
  readonly onOpen: (target: Target) => void
}

/** Rows are variables, columns are stages. Of thousands of rows only those in sight are rendered. */
export function VariablesGrid({ project, stages, rows, selected, onSelect, onOpen }: VariablesGridProps) {
  const { first, end, onScroll } = useVisibleRows(rows.length, rowHeight)
  const { active, setActive, grid, onKeyDown } = useGridFocus(rows.length, stages.length + (selected ? 1 : 0))
  const focus = useCallback((row: number, column: number) => setActive({ row, column }), [setActive])
  const toggle = useCallback((name: string) => onSelect((now) => now && toggled(now, name)), [onSelect])
  const { pending } = useChanges()
  const changes = useMemo(() => Map.groupBy(pending, ({ name }) => name), [pending])
  const inSight = rows.slice(first, end).map((row, offset) => ({ row, index: first + offset }))
  const activeRow = rows[active.row]
  // The row that has the focus would lose it, were it gone.
  if (activeRow && (active.row < first || active.row >= end)) inSight.push({ row: activeRow, index: active.row })
  const areAllSelected = rows.length > 0 && rows.every(({ name }) => selected?.has(name))
  const toggleAll = (): void => onSelect(new Set(areAllSelected ? [] : rows.map(({ name }) => name)))
  return (
    <div
      ref={grid}
      className={classes['viewport']}
      data-selecting={selected !== undefined}
      style={{ '--stages': stages.length, '--row-height': `${rowHeight}px` } as CSSProperties}
      role="grid"
      tabIndex={-1}
      aria-label="Variables by stage"
      aria-rowcount={rows.length + 1}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <GridHead projectSlug={project.projectSlug} stages={stages}>
        {selected && (
          <SelectCell
            role="columnheader"
            label="Select all that are shown"
            isSelected={areAllSelected}
            onToggle={toggleAll}
          />
        )}
      </GridHead>
      <div role="rowgroup" className={classes['body']} style={{ height: rows.length * rowHeight }}>
        {inSight.map(({ row, index }) => (
          <GridRow
            key={row.name}
            row={row}
            index={index}
            stages={stages}
            changes={changes.get(row.name)}
            isSelected={selected?.has(row.name)}
            activeColumn={index === active.row ? active.column : undefined}
            onFocus={focus}
            onToggle={toggle}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  )
}
