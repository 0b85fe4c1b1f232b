import { percentText } from '../../base/chance.ts'
import type { Cell, CellState } from '../../variables/comparison.ts'
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
  readonly isActive: boolean
  readonly onFocus: () => void
  readonly onOpen: () => void
}

export function StageCell({ label, cell: { state, variable }, isActive, onFocus, onOpen }: StageCellProps) {
  const chance = variable?.chance === undefined ? '' : `A ${percentText(variable.chance)}`
  return (
    <div role="gridcell" className={classes['stage']}>
      <button
        type="button"
        className={classes['cell']}
        data-state={state}
        tabIndex={isActive ? 0 : -1}
        aria-label={[label, states[state], chance].filter((part) => part !== '').join(', ')}
        onFocus={onFocus}
        onClick={onOpen}
      >
        <span>{states[state]}</span>
        {chance !== '' && <span className={classes['facts']}>{chance}</span>}
      </button>
    </div>
  )
}
