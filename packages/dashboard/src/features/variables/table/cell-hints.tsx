import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { useDebouncedCallback, useInterval, useWindowEvent } from '@mantine/hooks'
import { Tooltip } from '@mantine/core'
import type { WriteEntry } from '@rollkey/contract'
import { type Labels, valuesOf } from '@rollkey/contract/rules'
import { pastTime, secondsText } from '../../../lib/time.ts'
import { useMay } from '../../../session/permissions.ts'
import { useNow } from '../../../ui/time.tsx'
import { usePersonName } from '../../members/queries.ts'
import type { Stage } from '../../projects/queries.ts'
import { labels as rollLabels } from '../../rolls/labels.ts'
import { type Cell, differences, type Row } from '../comparison.ts'
import type { Target } from '../editor/variable-drawer.tsx'
import { labels } from './labels.ts'
import classes from './variables-grid.module.css'

/** What people see of a variable in a stage. */
export interface VisibleValues {
  /** Absent: the values are hidden. */
  readonly entry: WriteEntry | undefined
  /** When they are hidden again, if a person revealed them. */
  readonly untilMs: number | undefined
}

interface HintValue {
  /** Which of the values of a roll it is: its label or letter. Undefined: it is the only one. */
  readonly side?: string | undefined
  readonly value: string
}

interface CellFacts {
  /** Values that people see, whole. */
  readonly values: readonly HintValue[]
  readonly text: string
  /** When the values are hidden again, if a person revealed them. */
  readonly untilMs?: number | undefined
}

interface CellHintsProps {
  readonly factsOf: (cell: CellTarget) => CellFacts | undefined
  readonly children: ReactNode
}

/**
 * Shows the hint of the cell under the mouse or the focus, after a moment, or at once with a value that the person revealed.
 * There is one hint, because there may be hundreds of cells.
 */
export function CellHints({ factsOf, children }: CellHintsProps) {
  const { element, hasRested, handlers } = useHint()
  const cell = element && cellOf(element)
  const facts = cell && factsOf(cell)
  return (
    <div {...handlers}>
      {children}
      {element && facts && (hasRested || facts.untilMs !== undefined) && <CellHint element={element} facts={facts} />}
    </div>
  )
}

const restMs = 400

/**
 * Returns the element with the attribute data-hint on which the mouse or the focus rests. The Escape key dismisses it, too
 * (WCAG 2.2, 1.4.13).
 */
function useHint() {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [hasRested, setRested] = useState(false)
  const rest = useDebouncedCallback(() => setRested(true), restMs)
  const stop = (): void => {
    rest.cancel()
    setRested(false)
  }
  const hide = (): void => {
    stop()
    setElement(null)
  }
  const enter = (next: HTMLElement | null): void => {
    if (next === element) return
    stop()
    setElement(next)
    if (next) rest()
  }
  // Someone who types looks elsewhere than at what is under the mouse.
  useWindowEvent('keydown', ({ key }) => (key === 'Escape' || element !== document.activeElement) && hide())
  return {
    element,
    hasRested,
    handlers: {
      onPointerOver: ({ target, pointerType }: PointerEvent) => pointerType === 'mouse' && enter(elementOf(target)),
      onPointerLeave: hide,
      onFocus: ({ target }: FocusEvent) => target.matches(':focus-visible') && enter(elementOf(target)),
      onBlur: hide,
      // A click that reveals the value shows it in the hint.
      onClick: stop,
      onScrollCapture: hide,
    },
  }
}

interface CellHintProps {
  /** The cell of the hint. */
  readonly element: HTMLElement
  readonly facts: CellFacts
}

function CellHint({ element, facts: { values, text, untilMs } }: CellHintProps) {
  const id = useId()
  useEffect(() => {
    element.setAttribute('aria-describedby', id)
    return () => element.removeAttribute('aria-describedby')
  }, [element, id])
  return (
    <Tooltip
      target={element}
      opened
      withinPortal={false}
      position="top-start"
      multiline
      maw={480}
      label={
        <span id={id} className={classes['cell-hint']}>
          {(showsWholeValue(element) ? [] : values).map(({ side, value }, at) => (
            <span key={at} className={classes['hint-value']}>
              {side}
              <code>{value}</code>
            </span>
          ))}
          {untilMs !== undefined && <SecondsLeft untilMs={untilMs} />}
          {text}
        </span>
      }
    />
  )
}

/** Returns whether the cell itself has room for its value, so that the hint need not repeat it. */
function showsWholeValue(element: HTMLElement): boolean {
  const shown = element.querySelector('[data-value]')
  return shown !== null && shown.scrollWidth <= shown.clientWidth
}

/** Counts down until a value is hidden again. */
function SecondsLeft({ untilMs }: { readonly untilMs: number }) {
  const [nowMs, setNowMs] = useState(() => Date.now())
  const { start, stop } = useInterval(() => setNowMs(Date.now()), 1000)
  useEffect(() => {
    start()
    return stop
  }, [start, stop])
  return `${labels.hiddenAgain(secondsText(Math.max(0, Math.ceil((untilMs - nowMs) / 1000))))}\n`
}

/** Returns a function that names the last writer of a variable. Service tokens share one name. */
function useWriterName(): (id: string) => string {
  const personName = usePersonName()
  return (id) => (id.startsWith('tok_') ? labels.serviceToken : personName(id))
}

/**
 * Returns the facts about a cell: its whole value, if people see it; how it differs from the stage that it is compared with, and its
 * last change. About the cell of a name: the whole name and description, and the last change in any stage.
 */
export function useCellHint(
  stages: readonly Stage[],
  rows: readonly Row[],
  visibleIn: (target: CellTarget, variable: Cell['variable']) => VisibleValues,
  projectSlug: string,
): (cell: CellTarget) => CellFacts | undefined {
  const writerName = useWriterName()
  const may = useMay()
  const nowMs = useNow()
  const changeOf = (atMs: number | undefined, by: string | undefined): readonly string[] =>
    atMs === undefined ? [] : [labels.changed(by && writerName(by), pastTime(atMs, nowMs))]
  return ({ stageSlug, name }) => {
    const row = rows.find((each) => each.name === name)
    if (row && stageSlug === '') {
      const { description } = row.leading
      const text = [
        ...(description === undefined ? [] : [description]),
        ...changeOf(row.lastChange?.atMs, row.lastChange?.by),
      ]
      return { values: [{ value: name }], text: text.join('\n') }
    }
    const at = stages.findIndex((stage) => stage.stageSlug === stageSlug)
    const cell = row?.cells[at]
    if (!row || !cell) return undefined
    const { updatedAtMs, updatedBy } = cell.variable ?? {}
    const { entry, untilMs } = visibleIn({ stageSlug, name }, cell.variable)
    const text = [
      comparisonSentence(cell, row, stages),
      ...(cell.variable && !may('read', { projectSlug, stageSlug }) ? [labels.hiddenText] : []),
      ...changeOf(updatedAtMs, updatedBy),
    ]
      .filter((sentence) => sentence !== '')
      .join('\n')
    return { values: entry ? hintValuesOf(entry, cell.variable?.labels) : [], text, untilMs }
  }
}

/** Returns the values of an entry, those of a roll with their sides. */
function hintValuesOf(entry: WriteEntry, names: Labels | undefined): readonly HintValue[] {
  const values = valuesOf(entry).map(shortened)
  if (entry.kind !== 'ab_roll') return values.map((value) => ({ value }))
  const sides = [names?.a ?? rollLabels.a, names?.b ?? rollLabels.b]
  return values.map((value, at) => ({ side: sides[at], value }))
}

const maxHintCharacters = 600

function shortened(value: string): string {
  return value.length > maxHintCharacters ? `${value.slice(0, maxHintCharacters)}…` : value
}

function comparisonSentence({ state, variable }: Cell, { cells }: Row, stages: readonly Stage[]): string {
  const first = cells.findIndex((cell) => cell.state === 'set')
  const firstName = stages[first]?.name ?? ''
  const reference = cells[first]?.variable
  if (state === 'different' && variable && reference) {
    return labels.differsFrom(
      firstName,
      differences(reference, variable, () => labels.otherValue),
    )
  }
  return labels.comparison[state](firstName)
}

/** The cells of the table: a variable in a stage. */

export type CellTarget = Required<Target>

export type CellAction = 'open' | 'reveal' | 'copy' | 'edit' | 'toggle' | 'stop'

/** Returns the attribute by which a cell is found. Slugs have no slash. The cell of the name has no slug. */
export function hintOf(stageSlug: string, name: string): string {
  return `${stageSlug}/${name}`
}

/** Returns the focused part of a cell that contains the target, if any. */
function elementOf(target: EventTarget): HTMLElement | null {
  const cell = target instanceof Element ? target.closest('[role=gridcell], [role=rowheader]') : null
  return cell?.querySelector<HTMLElement>('[data-hint]') ?? null
}

/** Returns the cell that contains the target, if any. */
export function cellOf(target: EventTarget): CellTarget | undefined {
  const hint = elementOf(target)?.dataset['hint']
  if (hint === undefined) return undefined
  const [stageSlug = '', ...name] = hint.split('/')
  return { stageSlug, name: name.join('/') }
}
