import { effectNames, effectOf, type PendingChange } from '../../changes/change-set.ts'
import type { Cell, CellState } from '../comparison.ts'
import { attributeEntries, attributeWords } from '../labels.ts'
import classes from './variables-grid.module.css'

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

export function StageCell({
  label,
  cell: { state, variable },
  hint,
  change,
  isActive,
  onFocus,
  onOpen,
}: StageCellProps) {
  const attributes = variable ? attributeEntries(variable).map(([name, value]) => attributeWords[name].hint(value)) : []
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
