import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './record-table.module.css'

interface RecordTableProps {
  /** What the table lists. */
  readonly label: string
  readonly columns: readonly string[]
  /** Rows of RecordCell. */
  readonly children: ReactNode
}

/** A table that turns into a list of cards where it would not fit. The roles stay what they are then. */
export function RecordTable({ label, columns, children }: RecordTableProps) {
  return (
    <Table role="table" aria-label={label} className={classes['table']} verticalSpacing="sm">
      <Table.Thead role="rowgroup" className={classes['head']}>
        <Table.Tr role="row">
          {columns.map((column) => (
            <Table.Th key={column} role="columnheader">
              {column}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">{children}</Table.Tbody>
    </Table>
  )
}
