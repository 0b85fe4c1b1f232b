import { Box, Table } from '@mantine/core'
import classes from './figures-table.module.css'

interface FiguresTableProps {
  /** Accessible name of the table. */
  readonly label: string
  readonly columns: readonly string[]
  /** The first text of each names the row. */
  readonly rows: readonly (readonly string[])[]
}

/** Shows figures to compare, in a box that scrolls. */
export function FiguresTable({ label, columns, rows }: FiguresTableProps) {
  return (
    <Box component="section" className={classes['box']} tabIndex={0} aria-label={label}>
      <Table stickyHeader className={classes['table']}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column} scope="col">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([name, ...figures]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              {figures.map((figure, at) => (
                <Table.Td key={columns[at + 1]}>{figure}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}
