import type { ReactNode } from 'react'
import classes from './row-list.module.css'

interface RowListProps {
  /** Accessible name of the list. */
  readonly label: string
  /** RowItem elements. */
  readonly children: ReactNode
}

/** Shows a short list in a panel, whose rows link to pages. Data with columns belongs in a DataTable. */
export function RowList({ label, children }: RowListProps) {
  return (
    <ul aria-label={label} className={classes['list']}>
      {children}
    </ul>
  )
}

interface RowItemProps {
  /** An icon or the initials of a person. */
  readonly lead?: ReactNode
  /** One line with one link, which the whole row opens. */
  readonly children: ReactNode
  /** A second, quieter line. */
  readonly detail?: ReactNode
  /** End of the row, such as a time. */
  readonly end?: ReactNode
}

export function RowItem({ lead, children, detail, end }: RowItemProps) {
  return (
    <li className={classes['item']}>
      {lead !== undefined && <span className={classes['lead']}>{lead}</span>}
      <div className={classes['text']}>
        <div>{children}</div>
        {detail !== undefined && <div className={classes['detail']}>{detail}</div>}
      </div>
      {end !== undefined && <div className={classes['end']}>{end}</div>}
    </li>
  )
}
