import { useCallback, type CSSProperties } from 'react'
import { ChevronIcon } from '../../components/chevron-icon.tsx'
import { PlaceSettings } from '../../components/place-settings.tsx'
import { useGridFocus } from '../../hooks/use-grid-focus.ts'
import { useScope } from '../../hooks/use-scope.ts'
import { useVisibleRows } from '../../hooks/use-visible-rows.ts'
import type { Row } from '../../variables/comparison.ts'
import { updateStage, type PlaceChange, type Project, type Stage } from '../../variables/projects.ts'
import type { Target } from '../variable/variable-drawer.tsx'
import { GridRow } from './grid-row.tsx'
import classes from './variables-grid.module.css'

/** In CSS pixels; the style sheet is told. */
const rowHeight = 60

interface VariablesGridProps {
  readonly project: Project
  readonly stages: readonly Stage[]
  readonly rows: readonly Row[]
  readonly onOpen: (target: Target) => void
}

/** Rows are variables, columns are stages. Of thousands of rows only those in sight are rendered. */
export function VariablesGrid({ project: { projectSlug }, stages, rows, onOpen }: VariablesGridProps) {
  const scope = useScope()
  const { first, end, onScroll } = useVisibleRows(rows.length, rowHeight)
  const { active, setActive, grid, onKeyDown } = useGridFocus(rows.length, stages.length)
  const focus = useCallback((row: number, column: number) => setActive({ row, column }), [setActive])
  const inSight = rows.slice(first, end).map((row, offset) => ({ row, index: first + offset }))
  const activeRow = rows[active.row]
  // The row that has the focus would lose it, were it gone.
  if (activeRow && (active.row < first || active.row >= end)) inSight.push({ row: activeRow, index: active.row })
  return (
    <div
      ref={grid}
      className={classes['viewport']}
      style={{ '--stages': stages.length, '--row-height': `${rowHeight}px` } as CSSProperties}
      role="grid"
      tabIndex={-1}
      aria-label="Variables by stage"
      aria-rowcount={rows.length + 1}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={classes['head']}>
        <div role="row" aria-rowindex={1} className={classes['row']}>
          <div role="columnheader" className={classes['name']}>
            Variable
          </div>
          {stages.map(({ stageSlug, name }) => (
            <div key={stageSlug} role="columnheader" className={classes['stage']}>
              <PlaceSettings
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
      <div role="rowgroup" className={classes['body']} style={{ height: rows.length * rowHeight }}>
        {inSight.map(({ row, index }) => (
          <GridRow
            key={row.name}
            row={row}
            index={index}
            stages={stages}
            activeColumn={index === active.row ? active.column : undefined}
            onFocus={focus}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  )
}
