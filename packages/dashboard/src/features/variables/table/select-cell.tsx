import classes from './variables-grid.module.css'

interface SelectCellProps {
  readonly role: 'gridcell' | 'columnheader'
  /** What is selected. */
  readonly label: string
  readonly isSelected: boolean
  readonly onToggle: () => void
  readonly tabIndex?: number
  readonly onFocus?: () => void
}

export function SelectCell({ role, label, isSelected, onToggle, ...focus }: SelectCellProps) {
  return (
    <div role={role} className={classes['select']}>
      <input type="checkbox" aria-label={label} checked={isSelected} onChange={onToggle} {...focus} />
    </div>
  )
}
