import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

interface RecordCellProps {
  /** The column's name, where it is not beside the cell's content. */
  readonly label?: string
  readonly children: ReactNode
}

/** A cell of a RecordTable. */
export function RecordCell({ label, children }: RecordCellProps) {
  return (
    <Table.Td role="cell" data-label={label}>
      {children}
    </Table.Td>
  )
}
