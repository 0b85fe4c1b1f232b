import type { Stage } from '@rollkey/sdk/core'
import { memo } from 'react'
import type { PendingChange } from '../../../data/unsaved-changes/change-set.ts'
import type { WaitingProposals } from '../../../data/proposals/queries.ts'
import { type Filling, needsVariable, type Row } from '../../../data/variables/comparison.ts'
import { seenKindOf, typeNames } from '../../../data/variables/labels.ts'
import { KindIcon } from '../../../ui/status.tsx'
import { labels } from './labels.ts'
import { hintOf } from './cell-hints.tsx'
import { cellView } from './cell-view.ts'
import { StageCell } from './stage-cell.tsx'
import type { PlainValues } from '../plain-values.ts'
import { type EditedCell, useCellActions } from './use-cell-actions.ts'
import type { OptionalColumn } from './toolbar.tsx'
import classes from './variables-grid.module.css'
import type { Revealed } from '../use-revealed.ts'

/** A stage that has a column. */
export interface ShownStage {
  readonly stage: Stage
  /** Index among all stages of the project. */
  readonly at: number
  /** How far it is filled, if it is still new. */
  readonly filling: Filling | undefined
  /** Whether the viewer may read its values. */
  readonly mayRead: boolean
  /** Whether the viewer may change it. */
  readonly mayWrite: boolean
}

/** Actions of the rows. */
export interface RowActions {
  readonly focus: (row: number, column: number) => void
  /** Selects a variable. `isRange`: with all rows since the last selected one. */
  readonly select: (name: string, isRange: boolean) => void
}

/** How many columns precede those of the stages: the checkbox and the name. */
export const leadingColumns = 2

interface GridRowProps {
  readonly row: Row
  /** Index among all rows. */
  readonly index: number
  /** Where it begins below the head, in CSS pixels. A custom property would have all its cells styled again. */
  readonly top: number
  readonly stages: readonly ShownStage[]
  /** Names of all stages of the project, also of hidden ones. */
  readonly stageNames: readonly string[]
  readonly hasColumn: Readonly<Record<OptionalColumn, boolean>>
  /** Such as "3h ago". */
  readonly lastChange: string | undefined
  /** Changes of the variable that are not saved yet. */
  readonly changes: readonly PendingChange[] | undefined
  /** Proposed changes of all variables, by stage. */
  readonly waiting: WaitingProposals
  readonly isSelected: boolean
  readonly plain: PlainValues
  /** Revealed values of the variable, by stage. */
  readonly revealed: ReadonlyMap<string, Revealed> | undefined
  /** The stage in which the mouse or the keyboard is, if it is in this row. */
  readonly hotStage: string | undefined
  /** The cell in which a person edits the value, if it is in this row. */
  readonly editing: EditedCell | undefined
  /** Column of the cell that the Tab key reaches, if it is in this row. */
  readonly activeColumn: number | undefined
  readonly actions: RowActions
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, index, top, stages, hasColumn, lastChange, changes, isSelected, activeColumn, actions } = props
  const { name, cells } = row
  const { act } = useCellActions()
  const reference = props.stageNames[cells.findIndex(({ state }) => state === 'set')] ?? ''
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
      style={{ top }}
    >
      <SelectCell name={name} isSelected={isSelected} focus={focusOf(0)} onSelect={actions.select} />
      <VariableHead
        row={row}
        hasColumn={hasColumn}
        lastChange={lastChange}
        focus={focusOf(1)}
        onOpen={() => leadingStage && act('open', { stageSlug: leadingStage.stage.stageSlug, name })}
      />
      {hasColumn.lastChange && (
        <div role="gridcell" className={classes['change']}>
          {lastChange}
        </div>
      )}
      {stages.map(({ at, filling, ...shown }, shownAt) => {
        const cell = cells[at]
        if (!cell) return null
        const { stageSlug } = shown.stage
        return (
          <StageCell
            key={stageSlug}
            view={cellView({
              ...shown,
              name,
              cell,
              reference,
              isNeeded: needsVariable(shown.stage, filling, row.declared),
              change: changes?.find((change) => change.stageSlug === stageSlug),
              waiting: props.waiting.get(stageSlug)?.get(name),
              plain: props.plain[at]?.values.get(name),
              isLocked: props.plain[at]?.isLocked === true,
              revealed: props.revealed?.get(stageSlug),
              editing: props.editing?.stageSlug === stageSlug ? props.editing : undefined,
            })}
            isHot={props.hotStage === stageSlug}
            focus={focusOf(leadingColumns + shownAt)}
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

interface SelectCellProps {
  readonly name: string
  readonly isSelected: boolean
  readonly focus: CellFocus
  readonly onSelect: RowActions['select']
}

function SelectCell({ name, isSelected, focus, onSelect }: SelectCellProps) {
  return (
    <div role="gridcell" className={classes['select']}>
      {/* A larger target than the box. */}
      <label className={classes['select-target']}>
        <input
          type="checkbox"
          aria-label={labels.select(name)}
          checked={isSelected}
          onChange={(event) => onSelect(name, (event.nativeEvent as MouseEvent).shiftKey)}
          {...focus}
        />
      </label>
    </div>
  )
}

/** Long names are cut in their middle, because many begin alike. */
const longName = 24
const nameEnd = 10

interface VariableHeadProps {
  readonly row: Row
  readonly hasColumn: GridRowProps['hasColumn']
  readonly lastChange: string | undefined
  readonly focus: CellFocus
  readonly onOpen: () => void
}

function VariableHead({ row: { name, leading }, hasColumn, lastChange, focus, onOpen }: VariableHeadProps) {
  const { declaredType, description } = leading
  const kind = seenKindOf(leading)
  return (
    <div role="rowheader" className={classes['variable']}>
      <span data-sign className={classes['sign']}>
        <KindIcon kind={kind} />
      </span>
      <button
        type="button"
        data-value
        className={classes['name']}
        aria-label={name}
        data-hint={hintOf('', name)}
        // Without a column for it, the hint has it.
        data-hint-only={(!hasColumn.lastChange && lastChange !== undefined) || undefined}
        onClick={onOpen}
        {...focus}
      >
        <bdi>
          {name.length <= longName ? (
            name
          ) : (
            <>
              <span data-value>{name.slice(0, -nameEnd)}</span>
              <span>{name.slice(-nameEnd)}</span>
            </>
          )}
        </bdi>
      </button>
      {hasColumn.type && declaredType !== undefined && (
        <span className={classes['type']}>{typeNames[declaredType]}</span>
      )}
      {hasColumn.description && description !== undefined && (
        <span data-value className={classes['description']}>
          {description}
        </span>
      )}
    </div>
  )
}
