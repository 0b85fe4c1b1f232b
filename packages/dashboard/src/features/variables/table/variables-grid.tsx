import {
  type CSSProperties,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  type UIEvent,
  useCallback,
  useMemo,
  useState,
} from 'react'
import { toggled } from '../../../lib/sets.ts'
import { useChanges } from '../../changes/changes-context.ts'
import type { Row } from '../comparison.ts'
import { type PlaceChange, type Project, type Stage, updateStage } from '../../projects/queries.ts'
import type { Target } from '../editor/use-open-variable.ts'
import { ChevronIcon } from '../../../ui/chevron-icon.tsx'
import { SettingsDialog } from '../../projects/settings-dialog.tsx'
import { useScope } from '../../../session/use-scope.ts'
import { useGridFocus } from './use-grid-focus.ts'
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
  const { first, end, onScroll } = useVisibleRows(rows.length)
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

/** So many rows at once come and go while one scrolls: fewer renderings, and none of them empty. */
const step = 12

interface VisibleRows {
  readonly first: number
  /** Not included. */
  readonly end: number
  readonly onScroll: (event: UIEvent<HTMLElement>) => void
}

/** Which of many rows are worth rendering. */
function useVisibleRows(count: number): VisibleRows {
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

interface GridHeadProps {
  readonly projectSlug: string
  readonly stages: readonly Stage[]
  /** A column before all others. */
  readonly children: ReactNode
}

function GridHead({ projectSlug, stages, children }: GridHeadProps) {
  const scope = useScope()
  return (
    <div role="rowgroup" className={classes['head']}>
      <div role="row" aria-rowindex={1} className={classes['row']}>
        {children}
        <div role="columnheader" className={classes['name']}>
          Variable
        </div>
        {stages.map(({ stageSlug, name }) => (
          <div key={stageSlug} role="columnheader" className={classes['stage']}>
            <SettingsDialog
              what="stage"
              name={name}
              isArchived={false}
              change={(change: PlaceChange) => updateStage(scope, projectSlug, stageSlug, change)}
              button={{
                children: name,
                rightSection: <ChevronIcon />,
                variant: 'subtle',
                className: classes['title'],
              }}
            />
          </div>
        ))}
      </div>
    </div>
  )
}
