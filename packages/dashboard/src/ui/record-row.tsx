import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

interface RecordRowProps {
  readonly children: ReactNode
}

/** A row of a RecordTable. */
export function RecordRow({ children }: RecordRowProps) {
  return <Table.Tr role="row">{children}</Table.Tr>
}
