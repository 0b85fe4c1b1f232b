import type { Project, Stage } from '@rollkey/sdk/core'
import {
  type ComponentProps,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  type SyntheticEvent,
  type UIEvent,
  startTransition,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useWindowEvent } from '@mantine/hooks'
import { shortPastTime } from '../../../lib/time.ts'
import { type Command, useCommands } from '../../../ui/commands.ts'
import { useIsPhone } from '../../../ui/use-is-phone.ts'
import { useFocusFinder } from '../../../ui/focus.ts'
import { useNow } from '../../../ui/time.tsx'
import { useChanges } from '../../../data/unsaved-changes/changes-context.ts'
import { cellFocus, gridFocus } from '../../../data/projects/commands.ts'
import { currentStages } from '../../../data/projects/queries.ts'
import type { WaitingProposals } from '../../../data/proposals/queries.ts'
import type { Row } from '../../../data/variables/comparison.ts'
import { type CellAction, cellOf, type CellTarget } from './cell-hints.tsx'
import { GridHead } from './grid-head.tsx'
import { GridRow, leadingColumns, type ShownStage, type RowActions } from './grid-row.tsx'
import { gridSizes } from './grid-sizes.ts'
import { labels } from './labels.ts'
import type { PlainValues } from '../plain-values.ts'
import { type EditedCell, useCellActions, type useCells } from './use-cell-actions.ts'
import type { Sort } from '../project-search.ts'
import { hasModifier, type Selection } from './selection-bar.tsx'
import type { TablePreferences } from './toolbar.tsx'
import classes from './variables-grid.module.css'
import type { RevealedByName } from '../use-revealed.ts'

type CellsOfGrid = Pick<ReturnType<typeof useCells>, 'editing' | 'revealed'>

/** What others ask of the table. */
export interface GridHandle {
  /** Gives the focus to a cell, or where there is none to its neighbor. Without a target, to the cell that had it last. */
  readonly focusCell: (target?: CellTarget) => void
}

interface VariablesGridProps {
  readonly ref: Ref<GridHandle>
  readonly project: Project
  readonly stages: readonly ShownStage[]
  readonly rows: readonly Row[]
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly preferences: TablePreferences
  readonly selection: Selection
  readonly plain: PlainValues
  readonly waiting: WaitingProposals
  readonly cells: CellsOfGrid
}

/** Shows variables as rows and stages as columns. On a phone, the name stands above the stages. */
export function VariablesGrid(props: VariablesGridProps) {
  const { ref, project, stages, rows, sort, onSort, preferences, selection, plain, waiting, cells } = props
  const { head, body, follow, width, isCut } = useCommonScroll()
  const focus = useGridFocus(rows.length, leadingColumns + stages.length, leadingColumns)
  const { active, setActive, grid } = focus
  const { selected, select } = selection
  const { editing, revealed } = cells
  const kept = useKeptFocus(focus.focusActive)
  useCellFocus(ref, { focus, rows, stages })
  const name = rows[active.row]?.name
  const stage = stages[active.column - leadingColumns]?.stage
  const onKey = useGridKeys({ focus, selection, name, stage, stages })
  const actions = useMemo<RowActions>(
    () => ({ focus: (row, column) => setActive({ row, column }), select }),
    [setActive, select],
  )
  const isPhone = useIsPhone()
  const { hasColumn, isNarrow, rowHeight, style } = useMemo(
    () => gridSizes({ width, stages: stages.length, preferences, isPhone }),
    [width, stages.length, preferences, isPhone],
  )
  const stageNames = useMemo(() => currentStages(project).map((each) => each.name), [project])
  return (
    <div
      ref={grid}
      className={classes['grid']}
      data-density={preferences.density}
      data-cut={isCut || undefined}
      data-narrow={isNarrow || undefined}
      data-selecting={selection.isSelecting || selection.selected.size > 0 || undefined}
      style={style}
      role="grid"
      tabIndex={-1}
      aria-label={labels.grid}
      aria-rowcount={rows.length + 1}
      {...kept}
      onKeyDown={onKey}
    >
      <div ref={head} role="rowgroup" className={classes['head']} onScroll={follow}>
        <GridHead {...{ project, stages, sort, onSort, selection }} hasLastChange={hasColumn.lastChange} />
      </div>
      <div ref={body} role="presentation" className={classes['body']} onScroll={follow}>
        <GridBody
          body={body}
          rows={rows}
          rowHeight={rowHeight}
          active={active}
          selected={selected}
          {...{ stages, stageNames, hasColumn, plain, waiting, revealed, editing, actions }}
        />
      </div>
    </div>
  )
}

/** Keeps the focus in the grid when the focused input or row is removed. Returns the handlers of the grid. */
function useKeptFocus(focusActive: () => void) {
  const hasFocus = useRef(false)
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) focusActive()
  })
  return {
    onFocus: () => {
      hasFocus.current = true
    },
    // Removed elements do not blur. Where the focus goes next within the grid, it arrives in a moment.
    onBlur: () => {
      hasFocus.current = false
    },
  }
}

interface Cells extends Pick<VariablesGridProps, 'rows' | 'stages'> {
  readonly focus: GridFocus
}

/** Lets others give the focus to a cell. The row of a variable that was just created may come a moment later. */
function useCellFocus(ref: Ref<GridHandle>, { focus, rows, stages }: Cells): void {
  const { active, moveTo, focusActive } = focus
  const awaited = useRef<CellTarget>(undefined)
  const focusCell = (target?: CellTarget): void => {
    const row = rows.findIndex(({ name }) => name === target?.name)
    awaited.current = row === -1 ? target : undefined
    // From the name of a variable, its drawer shows any stage.
    if (!target || row === -1 || (row === active.row && active.column < leadingColumns)) return focusActive()
    const at = stages.findIndex(({ stage }) => stage.stageSlug === target.stageSlug)
    moveTo({ row, column: leadingColumns + Math.max(0, at) })
  }
  useImperativeHandle(ref, () => ({ focusCell }))
  useFocusFinder((key) => {
    if (key === gridFocus) focusActive()
    const at = stages.findIndex(({ stage }) => key.startsWith(cellFocus(stage.stageSlug, '')))
    const row = rows.findIndex(({ name }) => key === cellFocus(stages[at]?.stage.stageSlug ?? '', name))
    if (row !== -1) moveTo({ row, column: leadingColumns + at })
    return key === gridFocus || row !== -1
  })
  useLayoutEffect(() => {
    if (rows.some(({ name }) => name === awaited.current?.name)) focusCell(awaited.current)
  })
}

function isGridCell(target: EventTarget): boolean {
  return target instanceof Element && target.hasAttribute('data-grid-cell')
}

/** Keys that a cell has as in a spreadsheet, besides Enter, which clicks it. */
const cellKeys: Readonly<Record<string, CellAction>> = { ' ': 'toggle', F2: 'edit' }

const nativeKeys = labels.nativeKeys.map(([keys, label]): Command => ({
  keys,
  label,
  isKeyOnly: true,
  isNative: true,
  run: () => {},
}))

interface GridKeys {
  readonly focus: GridFocus
  readonly selection: Selection
  /** Name and stage of the focused cell. */
  readonly name: string | undefined
  readonly stage: Stage | undefined
  /** All that have a column, with what the viewer may do there. */
  readonly stages: readonly ShownStage[]
}

/**
 * Offers the table's shortcuts, which the help sheet lists. Returns the handler of the keys that move the focus, the space bar, F2
 * and Escape, which are not commands.
 */
function useGridKeys({ focus, selection, name, stage, stages }: GridKeys): (event: KeyboardEvent) => void {
  const { act } = useCellActions()
  const inCell = (action: CellAction) => () => {
    if (name !== undefined && stage) return act(action, { stageSlug: stage.stageSlug, name })
    const focused = document.activeElement
    // The name of a row is a button that opens the variable.
    if ((action === 'open' || action === 'edit') && focused instanceof HTMLButtonElement) focused.click()
  }
  const inRow = (isRange: boolean) => () => {
    if (name !== undefined) selection.select(name, isRange)
  }
  const key = { within: focus.grid, isKeyOnly: true }
  const reading = [
    { ...key, label: labels.keys.reveal, keys: 'r', run: inCell('reveal') },
    { ...key, label: labels.keys.copy, keys: 'c', run: inCell('copy') },
  ]
  const edit = { ...key, label: labels.keys.edit, keys: 'e', run: inCell('edit') }
  const stop = { ...key, label: labels.keys.stop, keys: 's', run: inCell('stop') }
  const mayWrite = stages.some((each) => each.mayWrite)
  useCommands(
    [
      { id: 'next-variable', label: labels.keys.next, keys: 'j', isKeyOnly: true, run: () => focus.step(1) },
      { label: labels.keys.previous, keys: 'k', isKeyOnly: true, run: () => focus.step(-1) },
      ...(stages.some(({ mayRead }) => mayRead) ? reading : []),
      ...(mayWrite ? [edit] : []),
      { ...key, label: labels.keys.open, keys: 'o', run: inCell('open') },
      ...(mayWrite ? [stop] : []),
      { ...key, label: labels.keys.select, keys: 'x', run: inRow(false) },
      { ...key, label: labels.keys.selectRange, keys: 'shift+x', run: inRow(true) },
      ...nativeKeys,
    ],
    { group: labels.grid },
  )
  useEntryKey(focus)
  const { active, move, moveTo } = focus
  return (event) => {
    // The Tab key ended the editing of a cell.
    if (event.key === 'Tab' && event.defaultPrevented)
      return moveTo({ ...active, column: active.column + (event.shiftKey ? -1 : 1) })
    if (!isGridCell(event.target) || move(event)) return
    if (event.key === 'Escape') selection.clear()
    const action = cellKeys[event.key]
    if (!action || !stage || hasModifier(event)) return
    event.preventDefault()
    inCell(action)()
  }
}

/** Leads into the grid with the down arrow, while nothing but the heading has the focus. */
function useEntryKey({ focusActive }: GridFocus): void {
  useWindowEvent('keydown', (event) => {
    const isNowhere = document.activeElement?.matches('body,h1') === true
    const isCovered = document.querySelector('[role=dialog]') !== null
    if (event.key !== 'ArrowDown' || event.defaultPrevented || hasModifier(event) || !isNowhere || isCovered) return
    event.preventDefault()
    focusActive()
  })
}

interface GridBodyProps extends Pick<
  ComponentProps<typeof GridRow>,
  'stages' | 'stageNames' | 'hasColumn' | 'actions' | 'plain' | 'waiting'
> {
  readonly body: RefObject<HTMLElement | null>
  readonly rows: readonly Row[]
  readonly rowHeight: number
  /** The cell that the Tab key reaches. */
  readonly active: Position
  readonly selected: ReadonlySet<string>
  readonly editing: EditedCell | undefined
  readonly revealed: RevealedByName
}

/** Renders only the rows in sight, because there may be thousands. */
function GridBody({ body, rows, rowHeight, active, selected, editing, revealed, ...rest }: GridBodyProps) {
  const { first, end } = useVisibleRows(body, rows.length, rowHeight)
  const { pending } = useChanges()
  const changes = useMemo(() => Map.groupBy(pending, ({ name }) => name), [pending])
  const nowMs = useNow()
  const { hot, handlers } = useHotCell()
  const inSight = rows.slice(first, end).map((row, offset) => ({ row, index: first + offset }))
  // The focused row stays rendered, because removing it would lose the focus, and the edited one with what was typed.
  for (const index of new Set([active.row, editing ? rows.findIndex(({ name }) => name === editing.name) : -1])) {
    const row = rows[index]
    if (row && (index < first || index >= end)) inSight.push({ row, index })
  }
  return (
    <div role="rowgroup" className={classes['rows']} style={{ height: rows.length * rowHeight }} {...handlers}>
      {inSight.map(({ row, index }) => (
        <GridRow
          key={row.name}
          row={row}
          index={index}
          top={index * rowHeight}
          lastChange={row.lastChange && shortPastTime(row.lastChange.atMs, nowMs)}
          changes={changes.get(row.name)}
          isSelected={selected.has(row.name)}
          revealed={revealed.get(row.name)}
          hotStage={hot?.name === row.name ? hot.stageSlug : undefined}
          editing={editing?.name === row.name ? editing : undefined}
          activeColumn={index === active.row ? active.column : undefined}
          {...rest}
        />
      ))}
    </div>
  )
}

/** Returns the cell under the mouse, or the focused one. */
function useHotCell() {
  const [hot, setHot] = useState<CellTarget>()
  const onEnter = ({ target }: SyntheticEvent): void => {
    const next = target instanceof Element ? cellOf(target) : undefined
    setHot((now) => (isSameCell(now, next) ? now : next))
  }
  const onLeave = (): void => setHot(undefined)
  // The mouse may be about to press a button of another cell.
  const onBlur = ({ target }: SyntheticEvent): void => {
    const left = target instanceof Element ? cellOf(target) : undefined
    setHot((now) => (isSameCell(now, left) ? undefined : now))
  }
  return { hot, handlers: { onPointerOver: onEnter, onFocus: onEnter, onPointerLeave: onLeave, onBlur } }
}

function isSameCell(one: CellTarget | undefined, other: CellTarget | undefined): boolean {
  return one?.name === other?.name && one?.stageSlug === other?.stageSlug
}

/** Keeps the horizontal scroll position of head and body equal. Returns whether stages are cut at the end, and the width in CSS pixels. */
function useCommonScroll() {
  const body = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [isCut, setCut] = useState(false)
  const measure = useCallback(() => {
    if (!body.current) return
    const { clientWidth, scrollWidth, scrollLeft } = body.current
    setWidth(clientWidth)
    setCut(scrollLeft + clientWidth < scrollWidth - 1)
  }, [])
  useLayoutEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    for (const element of [body.current, body.current?.firstElementChild]) if (element) observer.observe(element)
    return () => observer.disconnect()
  }, [measure])
  const follow = ({ currentTarget }: UIEvent<HTMLElement>): void => {
    const other = currentTarget === body.current ? head.current : body.current
    if (other && other.scrollLeft !== currentTarget.scrollLeft) other.scrollLeft = currentTarget.scrollLeft
    measure()
  }
  return { head, body, follow, width, isCut }
}

interface Position {
  readonly row: number
  readonly column: number
}

const pageRows = 10

/** The next position by key (ARIA Authoring Practices, "Grid"), which may be beyond the edges. */
const moves: Readonly<Record<string, (from: Position) => Position>> = {
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  PageUp: ({ row, column }) => ({ row: row - pageRows, column }),
  PageDown: ({ row, column }) => ({ row: row + pageRows, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }) => ({ row, column: Infinity }),
}

/** The first and the last cell, with the Control key. */
const edgeMoves: typeof moves = {
  Home: () => ({ row: 0, column: 0 }),
  End: () => ({ row: Infinity, column: Infinity }),
}

function within(count: number, index: number): number {
  return Math.max(0, Math.min(index, count - 1))
}

interface GridFocus {
  /** The one cell that the Tab key reaches. */
  readonly active: Position
  readonly setActive: (position: Position) => void
  readonly grid: RefObject<HTMLDivElement | null>
  /** Moves the focus. */
  readonly moveTo: (position: Position) => void
  /** Gives the focus to the active cell. */
  readonly focusActive: () => void
  /** Moves the focus. Returns whether it moved. */
  readonly move: (event: KeyboardEvent) => boolean
  /** Moves the focus by rows, or into the grid from elsewhere. */
  readonly step: (rows: number) => void
}

/** Makes a grid one stop of the Tab key, with arrow keys within it. `start`: the initial column. */
function useGridFocus(rows: number, columns: number, start: number): GridFocus {
  const [chosen, setActive] = useState<Position>({ row: 0, column: start })
  const active = { row: within(rows, chosen.row), column: within(columns, chosen.column) }
  const grid = useRef<HTMLDivElement>(null)
  const isMoving = useRef(false)
  const focusActive = useCallback(
    () => grid.current?.querySelector<HTMLElement>('[data-grid-cell][tabindex="0"]')?.focus(),
    [],
  )
  useLayoutEffect(() => {
    if (isMoving.current) focusActive()
    isMoving.current = false
  })
  const moveTo = ({ row, column }: Position): void => {
    isMoving.current = true
    setActive({ row: within(rows, row), column: within(columns, column) })
  }
  const move = (event: KeyboardEvent): boolean => {
    const known = event.ctrlKey || event.metaKey ? edgeMoves : moves
    const next = event.altKey ? undefined : known[event.key]?.(active)
    if (!next) return false
    event.preventDefault()
    moveTo(next)
    return true
  }
  const step = (by: number): void => {
    if (grid.current?.contains(document.activeElement)) moveTo({ ...active, row: active.row + by })
    else focusActive()
  }
  return { active, setActive, grid, moveTo, focusActive, move, step }
}

/** How many rows appear at once while a person scrolls, so that few renderings suffice. */
const step = 4
/** How many rows are rendered above and below those in sight, so that none is empty while a person scrolls. */
const ahead = 16

interface VisibleRows {
  readonly first: number
  /** Index after the last row. */
  readonly end: number
}

/** Returns the range of rows near the viewport. `rowHeight`: in CSS pixels. */
function useVisibleRows(body: RefObject<HTMLElement | null>, count: number, rowHeight: number): VisibleRows {
  const [top, setTop] = useState(0)
  const [bottom, setBottom] = useState(step)
  // The rows in sight appear first.
  const [margin, setMargin] = useState(0)
  useEffect(() => startTransition(() => setMargin(ahead)), [])
  useLayoutEffect(() => {
    const update = (): void => {
      const offset = body.current?.getBoundingClientRect().top ?? 0
      setTop(Math.floor(Math.max(0, -offset) / rowHeight / step) * step)
      setBottom(Math.ceil(Math.max(0, globalThis.innerHeight - offset) / rowHeight / step) * step)
    }
    update()
    // Whichever part of the page scrolls.
    document.addEventListener('scroll', update, { capture: true, passive: true })
    globalThis.addEventListener('resize', update)
    return () => {
      document.removeEventListener('scroll', update, { capture: true })
      globalThis.removeEventListener('resize', update)
    }
  }, [body, rowHeight])
  const end = Math.min(count, bottom + margin)
  // Where a filter leaves fewer rows than the page is scrolled by, the last ones are in sight in a moment.
  return { first: Math.max(0, Math.min(top, end - (bottom - top)) - margin), end }
}
