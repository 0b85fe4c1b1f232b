import {
  type ComponentProps,
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  type UIEvent,
  useMemo,
  useRef,
} from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { pastTime } from '../../../lib/time.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useChanges } from '../../changes/changes-context.ts'
import { useAuthorName } from '../../history/use-author-text.ts'
import type { Project } from '../../projects/queries.ts'
import type { Row } from '../comparison.ts'
import type { Target } from '../editor/use-open-variable.ts'
import { GridHead } from './grid-head.tsx'
import { GridRow, leadingColumns, type ShownStage, type TableActions } from './grid-row.tsx'
import { labels } from './labels.ts'
import type { Selection } from './use-selection.ts'
import { type Position, useGridFocus } from './use-grid-focus.ts'
import { useVisibleRows } from './use-visible-rows.ts'
import type { OptionalColumn, TablePreferences } from './use-table-preferences.ts'
import classes from './variables-grid.module.css'

/** In CSS pixels; the style sheet gets them as custom properties. */
const sizes = { row: 38, tallRow: 56, card: 52, cardLine: 44, select: 36, name: 300, change: 150, stage: 164 }

interface VariablesGridProps {
  readonly project: Project
  readonly stages: readonly ShownStage[]
  readonly rows: readonly Row[]
  readonly preferences: TablePreferences
  readonly selection: Selection
  readonly onOpen: (target: Target) => void
}

/** Rows are variables, columns are stages. On a phone rows are cards. */
export function VariablesGrid({ project, stages, rows, preferences, selection, onOpen }: VariablesGridProps) {
  const { head, body, follow } = useCommonScroll()
  const rowHeight = useRowHeight(stages.length, preferences)
  const { active, setActive, grid, move } = useGridFocus(rows.length, leadingColumns + stages.length, leadingColumns)
  const { selected, select } = selection
  const actions = useMemo<TableActions>(
    () => ({ focus: (row, column) => setActive({ row, column }), open: onOpen, select }),
    [setActive, onOpen, select],
  )
  const hasColumn = useMemo(() => shownColumns(preferences), [preferences])
  const onKeyDown = (event: KeyboardEvent): void => {
    const isInCell = event.target instanceof Element && event.target.hasAttribute('data-grid-cell')
    if (isInCell && !move(event)) selection.onKey(event, rows[active.row]?.name)
  }
  return (
    <div
      ref={grid}
      className={classes['grid']}
      data-density={preferences.density}
      style={gridStyle(rowHeight, stages.length, hasColumn.lastChange)}
      role="grid"
      tabIndex={-1}
      aria-label={labels.grid}
      aria-multiselectable
      aria-rowcount={rows.length + 1}
      onKeyDown={onKeyDown}
    >
      <div ref={head} role="rowgroup" className={classes['head']} onScroll={follow}>
        <GridHead
          project={project}
          stages={stages}
          hasLastChange={hasColumn.lastChange}
          areAllSelected={rows.length > 0 && rows.every(({ name }) => selected.has(name))}
          onSelectAll={selection.selectAll}
        />
      </div>
      <div ref={body} role="presentation" className={classes['body']} onScroll={follow}>
        <GridBody
          body={body}
          rows={rows}
          rowHeight={rowHeight}
          active={active}
          selected={selected}
          stages={stages}
          hasColumn={hasColumn}
          actions={actions}
        />
      </div>
    </div>
  )
}

interface GridBodyProps extends Pick<ComponentProps<typeof GridRow>, 'stages' | 'hasColumn' | 'actions'> {
  readonly body: RefObject<HTMLElement | null>
  readonly rows: readonly Row[]
  readonly rowHeight: number
  /** The cell that the Tab key reaches. */
  readonly active: Position
  readonly selected: ReadonlySet<string>
}

/** Of thousands of rows only those in sight are rendered. */
function GridBody({ body, rows, rowHeight, active, selected, ...rest }: GridBodyProps) {
  const { first, end } = useVisibleRows(body, rows.length, rowHeight)
  const { pending } = useChanges()
  const changes = useMemo(() => Map.groupBy(pending, ({ name }) => name), [pending])
  const lastChangeText = useLastChangeText()
  const inSight = rows.slice(first, end).map((row, offset) => ({ row, index: first + offset }))
  const activeRow = rows[active.row]
  // The row that has the focus would lose it, were it gone.
  if (activeRow && (active.row < first || active.row >= end)) inSight.push({ row: activeRow, index: active.row })
  return (
    <div role="rowgroup" className={classes['rows']} style={{ height: rows.length * rowHeight }}>
      {inSight.map(({ row, index }) => (
        <GridRow
          key={row.name}
          row={row}
          index={index}
          lastChange={lastChangeText(row)}
          changes={changes.get(row.name)}
          isSelected={selected.has(row.name)}
          activeColumn={index === active.row ? active.column : undefined}
          {...rest}
        />
      ))}
    </div>
  )
}

/** Lets the head and the body, which scroll with the page, share how far they are scrolled sideways. */
function useCommonScroll() {
  const body = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const follow = ({ currentTarget }: UIEvent<HTMLElement>): void => {
    const other = currentTarget === body.current ? head.current : body.current
    if (other && other.scrollLeft !== currentTarget.scrollLeft) other.scrollLeft = currentTarget.scrollLeft
  }
  return { head, body, follow }
}

function gridStyle(rowHeight: number, stages: number, hasLastChange: boolean): CSSProperties {
  const { select, name, stage } = sizes
  const change = hasLastChange ? sizes.change : 0
  return {
    '--row-height': `${rowHeight}px`,
    '--name-left': `${select}px`,
    '--columns': [
      `${select}px minmax(${name}px, 2fr)`,
      ...(hasLastChange ? [`${change}px`] : []),
      `repeat(${stages}, minmax(${stage}px, 1fr))`,
    ].join(' '),
    '--least-width': `${select + name + change + stages * stage}px`,
  } as CSSProperties
}

function useRowHeight(stages: number, { density }: TablePreferences): number {
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false })
  if (isNarrow) return sizes.card + stages * sizes.cardLine
  return density === 'comfortable' ? sizes.tallRow : sizes.row
}

function shownColumns({ hiddenColumns, density }: TablePreferences): Readonly<Record<OptionalColumn, boolean>> {
  const isShown = (column: OptionalColumn): boolean => !hiddenColumns.includes(column)
  return {
    type: isShown('type'),
    description: isShown('description') || density === 'comfortable',
    lastChange: isShown('lastChange'),
  }
}

/** Who changed a row last, and when, such as "Ada, 3 hours ago". */
function useLastChangeText(): (row: Row) => string | undefined {
  const authorName = useAuthorName()
  const nowMs = useNow()
  return ({ lastChange }) => {
    if (!lastChange) return undefined
    const when = pastTime(lastChange.atMs, nowMs)
    return lastChange.by === undefined ? when : `${authorName({ writtenBy: lastChange.by })}, ${when}`
  }
}
