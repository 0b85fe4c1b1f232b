import { memo, type CSSProperties } from 'react'
import { kindNames, typeNames } from '../../variables/words.ts'
import type { Row } from '../../variables/comparison.ts'
import type { Stage } from '../../variables/projects.ts'
import type { Target } from '../variable/variable-drawer.tsx'
import { StageCell } from './stage-cell.tsx'
import classes from './variables-grid.module.css'

interface GridRowProps {
  readonly row: Row
  /** Among all rows. */
  readonly index: number
  readonly stages: readonly Stage[]
  /** Of the cell that the Tab key reaches, if it is in this row. */
  readonly activeColumn: number | undefined
  readonly onFocus: (row: number, column: number) => void
  readonly onOpen: (target: Target) => void
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, index, stages, activeColumn, onFocus, onOpen } = props
  const { name, leading, cells } = row
  const { kind, declaredType } = leading
  return (
    <div
      role="row"
      // The head is the first row.
      aria-rowindex={index + 2}
      className={classes['row']}
      style={{ '--row': index } as CSSProperties}
    >
      <div role="rowheader" className={classes['name']}>
        <bdi className={classes['clipped']} title={name}>
          {name}
        </bdi>
        <span className={classes['facts']}>
          {kindNames[kind]}
          {declaredType !== undefined && ` · ${typeNames[declaredType]}`}
        </span>
      </div>
      {stages.map(({ stageSlug, name: stageName }, column) => {
        const cell = cells[column]
        return (
          cell && (
            <StageCell
              key={stageSlug}
              label={`${name} in ${stageName}`}
              cell={cell}
              isActive={column === activeColumn}
              onFocus={() => onFocus(index, column)}
              onOpen={() => onOpen({ stageSlug, name })}
            />
          )
        )
      })}
    </div>
  )
})
