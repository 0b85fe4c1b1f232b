import { VisuallyHidden } from '@mantine/core'
import { type CSSProperties, memo } from 'react'
import { kinds } from '@rollkey/contract/rules'
import { effectNames, effectOf, type PendingChange } from '../../changes/change-set.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Cell, CellState, Row } from '../comparison.ts'
import type { Target } from '../editor/use-open-variable.ts'
import { attributeEntries, attributeHint, typeNames } from '../labels.ts'
import { shownKindNames, shownKindOf } from '../shown-kind.ts'
import { hintOf } from './cell-hints.tsx'
import { KindIcon, StateIcon } from './icons.tsx'
import { labels } from './labels.ts'
import type { OptionalColumn } from './use-table-preferences.ts'
import classes from './variables-grid.module.css'

/** A stage that has a column. */
export interface ShownStage {
  readonly stage: Stage
  /** Among all stages of the project. */
  readonly at: number
}

/** What people do in the table. */
export interface TableActions {
  readonly focus: (row: number, column: number) => void
  readonly open: (target: Target) => void
  /** `isRange`: with all rows since the last one that was selected. */
  readonly select: (name: string, isRange: boolean) => void
}

/** Before the columns of the stages: the checkbox and the name. */
export const leadingColumns = 2

interface GridRowProps {
  readonly row: Row
  /** Among all rows. */
  readonly index: number
  readonly stages: readonly ShownStage[]
  readonly hasColumn: Readonly<Record<OptionalColumn, boolean>>
  /** Such as "Ada, 3 hours ago". */
  readonly lastChange: string | undefined
  /** Changes of the variable that are not saved yet. */
  readonly changes: readonly PendingChange[] | undefined
  readonly isSelected: boolean
  /** Of the cell that the Tab key reaches, if it is in this row. */
  readonly activeColumn: number | undefined
  readonly actions: TableActions
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, index, stages, hasColumn, lastChange, changes, isSelected, activeColumn, actions } = props
  const { name, cells } = row
  const leadingStage = stages.find(({ at }) => cells[at]?.variable) ?? stages[0]
  const focusOf = (column: number) => ({
    'data-grid-cell': true,
    tabIndex: column === activeColumn ? 0 : -1,
    onFocus: () => actions.focus(index, column),
  })
  return (
    <div
      role="row"
      // The head is the first row.
      aria-rowindex={index + 2}
      className={classes['row']}
      data-selected={isSelected}
      style={{ '--row': index } as CSSProperties}
    >
      <div role="gridcell" className={classes['select']}>
        <input
          type="checkbox"
          aria-label={labels.select(name)}
          checked={isSelected}
          onChange={(event) => actions.select(name, (event.nativeEvent as MouseEvent).shiftKey)}
          {...focusOf(0)}
        />
      </div>
      <VariableHead
        row={row}
        hasColumn={hasColumn}
        focus={focusOf(1)}
        onOpen={() => leadingStage && actions.open({ stageSlug: leadingStage.stage.stageSlug, name })}
      />
      {hasColumn.lastChange && (
        <div role="gridcell" className={classes['change']} title={lastChange}>
          {lastChange}
        </div>
      )}
      {stages.map(({ stage, at }, shownAt) => {
        const cell = cells[at]
        if (!cell) return null
        const { stageSlug } = stage
        return (
          <StageCell
            key={stageSlug}
            name={name}
            stage={stage}
            cell={cell}
            change={changes?.find((change) => change.stageSlug === stageSlug)}
            focus={focusOf(leadingColumns + shownAt)}
            onOpen={() => actions.open({ stageSlug, name })}
          />
        )
      })}
    </div>
  )
})

interface CellFocus {
  readonly tabIndex: number
  readonly onFocus: () => void
}

interface VariableHeadProps {
  readonly row: Row
  readonly hasColumn: GridRowProps['hasColumn']
  readonly focus: CellFocus
  readonly onOpen: () => void
}

function VariableHead({ row: { name, leading }, hasColumn, focus, onOpen }: VariableHeadProps) {
  const { declaredType, description } = leading
  const kind = shownKindOf(leading)
  return (
    <div role="rowheader" className={classes['variable']}>
      <KindIcon kind={kind} />
      <button type="button" className={classes['name']} title={name} onClick={onOpen} {...focus}>
        <bdi>{name}</bdi>
      </button>
      <VisuallyHidden>{shownKindNames[kind]}</VisuallyHidden>
      {hasColumn.type && declaredType !== undefined && (
        <span className={classes['type']}>{typeNames[declaredType]}</span>
      )}
      {hasColumn.description && description !== undefined && (
        <span className={classes['description']} title={description}>
          {description}
        </span>
      )}
    </div>
  )
}

interface StageCellProps {
  readonly name: string
  readonly stage: Stage
  readonly cell: Cell
  /** One that is not saved yet. */
  readonly change: PendingChange | undefined
  readonly focus: CellFocus
  readonly onOpen: () => void
}

function StageCell({ name, stage, cell: { state, variable }, change, focus, onOpen }: StageCellProps) {
  const isLoud = state === 'missing' && stage.isProduction
  const attributes = variable ? attributeEntries(variable).map(([key, value]) => attributeHint(key, value)) : []
  const unsaved = change ? [labels.unsaved(effectNames[effectOf(change)])] : []
  return (
    <div role="gridcell" className={classes['stage']} data-stage={stage.name}>
      <button
        type="button"
        className={classes['cell']}
        data-state={state}
        data-loud={isLoud}
        data-hint={hintOf(stage.stageSlug, name)}
        data-changed={change !== undefined}
        aria-label={labels.cell(name, stage.name, [labels.state(state, isLoud), ...unsaved, ...attributes])}
        onClick={onOpen}
        {...focus}
      >
        <StateIcon state={state} isLoud={isLoud} />
        <CellText state={state} variable={variable} />
      </button>
    </div>
  )
}

const masks: Readonly<Partial<Record<CellState, string>>> = { missing: 'Missing', unopened: 'Cannot be opened' }

function CellText({ state, variable }: Cell) {
  if (!variable || state === 'unopened') return <span>{masks[state]}</span>
  const { chance } = variable
  return chance === undefined ? (
    <span className={classes['mask']}>{'•'.repeat(kinds[variable.kind].values.length * 8)}</span>
  ) : (
    <span>{attributeHint('chance', chance)}</span>
  )
}
