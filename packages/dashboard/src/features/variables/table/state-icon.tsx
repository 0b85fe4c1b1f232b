import { IconDifferent, IconMissing, IconSame, IconUnreadable, IconWarning } from '../../../ui/icons.ts'
import type { CellState } from '../comparison.ts'
import classes from './variables-grid.module.css'

interface StateIconProps {
  readonly state: CellState
  /** Whether production lacks the variable. */
  readonly isLoud: boolean
}

export function StateIcon({ state, isLoud }: StateIconProps) {
  if (isLoud) return <IconWarning />
  switch (state) {
    case 'same':
      return <IconSame />
    case 'different':
      return <IconDifferent />
    case 'missing':
      return <IconMissing />
    case 'unopened':
      return <IconUnreadable />
    case 'set':
      return <span className={classes['reference']} />
  }
}
