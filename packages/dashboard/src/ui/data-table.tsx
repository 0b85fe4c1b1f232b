import { Group, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { type CSSProperties, type KeyboardEvent, type MouseEvent, type ReactNode, useState } from 'react'
import classes from './data-table.module.css'
import { IconSort, IconSortDown, IconSortUp } from './icons.ts'
import { BusyButton } from './buttons.tsx'
import { type Command, useCommands } from './commands.ts'
import { FocusRegion } from './page.tsx'
import { labels } from './labels.ts'

export interface Column<Row> {
  readonly key: string
  /** Name of the column, which also precedes the cell's content where rows are cards. */
  readonly header: string
  /** Shown in the head instead of the name, such as a menu. @default the name */
  readonly headerContent?: ReactNode
  /**
   * Whether only screen readers get the name of the column, such as that of actions.
   * @default false
   */
  readonly isHeaderHidden?: boolean
  /** Alignment. Numbers are at the end, so that their digits are below each other. */
  readonly align?: 'end'
  /** Whether people can sort by the column. @default false */
  readonly isSortable?: boolean
  /**
   * Whether the column is hidden in windows of medium width.
   * @default false
   */
  readonly isOptional?: boolean
  /** Width in CSS pixels. Where each column has one, the table has their sum. @default by the content */
  readonly width?: number
  /** Whether it only takes the place of columns that are out of sight. @default false */
  readonly isGap?: boolean
  /** Whether cells need no name where rows are cards, such as a time or a place. @default false */
  readonly isSelfEvident?: boolean
  readonly cell: (row: Row) => ReactNode
}

interface Sort {
  readonly key: string
  readonly direction: 'ascending' | 'descending'
}

interface DataTableProps<Row> {
  /** Accessible name of the table. */
  readonly label: string
  /** Columns, of which the first names the row; its link or button opens the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Present order of the rows. */
  readonly sort?: Sort | undefined
  /** Receives the chosen order, which belongs in the address. */
  readonly onSort?: (sort: Sort) => void
}

/**
 * Shows dense rows below a head that stays in sight, or cards on a narrow screen. The arrow keys, j and k move between rows, and a
 * click beside the controls of a row opens it like its first link.
 *
 * @example
 * <DataTable
 *   label="Projects"
 *   columns={[{ key: 'name', header: 'Name', cell: ({ name }) => <TextLink to="…">{name}</TextLink> }]}
 *   rows={projects}
 *   keyOf={({ projectSlug }) => projectSlug}
 * />
 */
export function DataTable<Row>({ label, columns, rows, keyOf, sort, onSort }: DataTableProps<Row>) {
  useCommands(rowCommands)
  return (
    // The roles stay where the style sheet turns rows into cards.
    <Table
      role="table"
      aria-label={label}
      className={classes['table']}
      style={fixedLayout(columns)}
      onKeyDown={moveFocus}
    >
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map((column) => (
            <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} />
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map((row) => (
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events -- The first link of the row is for the keyboard.
          <Table.Tr key={keyOf(row)} role="row" data-row data-focus={keyOf(row)} onClick={openRow}>
            {columns.map(({ key, header, isHeaderHidden, align, isOptional, isGap, isSelfEvident, cell }, at) => (
              <Table.Td
                key={key}
                role={at === 0 ? 'rowheader' : 'cell'}
                data-align={align}
                data-optional={isOptional || undefined}
                data-actions={isHeaderHidden || undefined}
                data-label={at === 0 || isHeaderHidden ? undefined : header}
                data-self-evident={isSelfEvident || undefined}
                aria-hidden={isGap}
              >
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** Returns the style of a table whose columns all have a width. */
function fixedLayout(columns: readonly { readonly width?: number }[]): CSSProperties | undefined {
  if (columns.some(({ width }) => width === undefined)) return undefined
  return { tableLayout: 'fixed', width: columns.reduce((sum, { width = 0 }) => sum + width, 0) }
}

interface HeadCellProps<Row> {
  readonly column: Column<Row>
  readonly sort: Sort | undefined
  readonly onSort: ((sort: Sort) => void) | undefined
}

function HeadCell<Row>({
  column: { key, header, headerContent = header, isHeaderHidden, isSortable, isOptional, align, width, isGap },
  sort,
  onSort,
}: HeadCellProps<Row>) {
  const direction = sort?.key === key ? sort.direction : undefined
  const content = isHeaderHidden ? <VisuallyHidden>{header}</VisuallyHidden> : headerContent
  const Art = direction === undefined ? IconSort : direction === 'ascending' ? IconSortUp : IconSortDown
  return (
    <Table.Th
      role="columnheader"
      data-align={align}
      data-optional={isOptional || undefined}
      style={width === undefined ? undefined : { width }}
      aria-hidden={isGap}
      aria-sort={isSortable ? (direction ?? 'none') : undefined}
    >
      {isSortable && onSort ? (
        <UnstyledButton
          className={classes['sort']}
          data-sorted={direction !== undefined || undefined}
          onClick={() => onSort({ key, direction: direction === 'ascending' ? 'descending' : 'ascending' })}
        >
          {content}
          <Art size={14} />
        </UnstyledButton>
      ) : (
        content
      )}
    </Table.Th>
  )
}

const controls = 'a, button, input, select, textarea, summary, label, [tabindex]'

function openRow({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  const isOnControl = target instanceof Element && target.closest(`${controls}, [role=menu], [role=dialog]`) !== null
  if (isOnControl || getSelection()?.isCollapsed === false) return
  currentTarget.querySelector<HTMLElement>('td:first-child :is(a, button)')?.click()
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const isOnControl = event.target instanceof HTMLElement && event.target.matches('a, button')
  if (step !== 0 && isOnControl && toRow(event.currentTarget, step)) event.preventDefault()
}

/** They step in the table that has the focus, otherwise in the first one of the page, whichever table offers them. */
const rowCommands: readonly Command[] = [
  { label: labels.nextEntry, keys: 'j', isKeyOnly: true, run: () => stepInPage(1) },
  { label: labels.previousEntry, keys: 'k', isKeyOnly: true, run: () => stepInPage(-1) },
]

function stepInPage(step: number): void {
  const table = document.activeElement?.closest('table') ?? document.querySelector('[data-row]')?.closest('table')
  if (table) toRow(table, step)
}

/** Moves the focus from its row to another one, at first to the first, and returns whether there is one. */
function toRow(table: Element, step: number): boolean {
  const rows = [...table.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const control = (at === -1 ? rows[0] : rows[at + step])?.querySelector<HTMLElement>('a, button')
  control?.focus()
  return control !== undefined
}

interface ShowOlderProps {
  /** Pages of the list, the newest first. */
  readonly list: {
    readonly fetchNextPage: () => unknown
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly data: { readonly pages: readonly (readonly unknown[])[] } | undefined
  }
}

/** Loads the next page, below the list. */
export function ShowOlder({ list: { fetchNextPage, hasNextPage, isFetchingNextPage, data } }: ShowOlderProps) {
  // The focus moves only after a click, not after a return to the list or a filter.
  const [hasClicked, setClicked] = useState(false)
  if (!data) return null
  if (!hasNextPage) return hasClicked && data.pages.length > 1 && <FocusRegion>{labels.older.end}</FocusRegion>
  const showOlder = (): void => {
    setClicked(true)
    void fetchNextPage()
  }
  return (
    <Group>
      <BusyButton variant="default" isBusy={isFetchingNextPage} onClick={showOlder}>
        {labels.older.show}
      </BusyButton>
      <Text role="status" c="dimmed">
        {labels.older.shown(data.pages.flat().length)}
      </Text>
    </Group>
  )
}
