import { type CSSProperties, memo } from 'react'
import { effectNames, effectOf, type PendingChange } from '../../changes/change-set.ts'
import { attributeEntries, attributeHint, kindName, typeNames } from '../labels.ts'
import type { Cell, CellState, Row } from '../comparison.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Target } from '../editor/use-open-variable.ts'
import { hintOf } from './cell-hints.tsx'
import { SelectCell } from './select-cell.tsx'
import classes from './variables-grid.module.css'

interface GridRowProps {
  readonly row: Row
  /** Among all rows. */
  readonly index: number
  readonly stages: readonly Stage[]
  /** Of the variable, those that are not saved yet. */
  readonly changes: readonly PendingChange[] | undefined
  /** Undefined: there is nothing to select. */
  readonly isSelected: boolean | undefined
  /** Of the cell that the Tab key reaches, if it is in this row. */
  readonly activeColumn: number | undefined
  readonly onFocus: (row: number, column: number) => void
  readonly onToggle: (name: string) => void
  readonly onOpen: (target: Target) => void
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, index, stages, changes, isSelected, activeColumn, onFocus, onToggle, onOpen } = props
  const { name, leading, cells } = row
  const { kind, declaredType } = leading
  const firstStage = isSelected === undefined ? 0 : 1
  return (
    <div
      role="row"
      // The head is the first row.
      aria-rowindex={index + 2}
      className={classes['row']}
      style={{ '--row': index } as CSSProperties}
    >
      {isSelected !== undefined && (
        <SelectCell
          role="gridcell"
          label={`Select ${name}`}
          isSelected={isSelected}
          onToggle={() => onToggle(name)}
          tabIndex={activeColumn === 0 ? 0 : -1}
          onFocus={() => onFocus(index, 0)}
        />
      )}
      <div role="rowheader" className={classes['name']}>
        <bdi className={classes['clipped']} title={name}>
          {name}
        </bdi>
        <span className={classes['facts']}>
          {kindName(kind)}
          {declaredType !== undefined && ` · ${typeNames[declaredType]}`}
        </span>
      </div>
      {stages.map(({ stageSlug, name: stageName }, at) => {
        const cell = cells[at]
        const column = firstStage + at
        return (
          cell && (
            <StageCell
              key={stageSlug}
              label={`${name} in ${stageName}`}
              cell={cell}
              hint={hintOf(stageSlug, name)}
              change={changes?.find((change) => change.stageSlug === stageSlug)}
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

const states: Readonly<Record<CellState, string>> = {
  set: 'Set',
  missing: 'Missing',
  same: 'Same',
  different: 'Different',
  unopened: 'Cannot be opened',
}

interface StageCellProps {
  /** Which variable in which stage. */
  readonly label: string
  readonly cell: Cell
  /** What CellHints finds it by. */
  readonly hint: string
  /** One that is not saved yet. */
  readonly change: PendingChange | undefined
  readonly isActive: boolean
  readonly onFocus: () => void
  readonly onOpen: () => void
}

function StageCell({ label, cell: { state, variable }, hint, change, isActive, onFocus, onOpen }: StageCellProps) {
  const attributes = variable ? attributeEntries(variable).map(([name, value]) => attributeHint(name, value)) : []
  const unsaved = change ? `${effectNames[effectOf(change)]}, not saved` : ''
  // The first is seen; all are in the name, which begins with what is seen.
  const facts = [unsaved, ...attributes].filter((fact) => fact !== '')
  return (
    <div role="gridcell" className={classes['stage']}>
      <button
        type="button"
        className={classes['cell']}
        data-state={state}
        data-hint={hint}
        data-changed={change !== undefined}
        tabIndex={isActive ? 0 : -1}
        aria-label={[label, states[state], ...facts].join(', ')}
        onFocus={onFocus}
        onClick={onOpen}
      >
        <span>{states[state]}</span> {facts.length > 0 && <span className={classes['facts']}>{facts[0]}</span>}
      </button>
    </div>
  )
}
