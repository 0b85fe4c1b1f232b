import type { ListedChange, Stage } from '@rollkey/sdk/core'
import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { useDebouncedCallback, useInterval, useWindowEvent } from '@mantine/hooks'
import { Tooltip, VisuallyHidden } from '@mantine/core'
import type { RevealedEntry } from '@rollkey/contract'
import { isRequiredIn, type Labels, valuesOf } from '@rollkey/contract/rules'
import { pastTime, relativeTime, secondsText } from '../../../lib/time.ts'
import { useMay } from '../../../session/permissions.ts'
import { useNow } from '../../../ui/time.tsx'
import { usePersonName } from '../../../data/members.ts'
import type { WaitingProposals } from '../../../data/proposals/queries.ts'
import { type Cell, differences, type Row } from '../../../data/variables/comparison.ts'
import type { Target } from '../editor/variable-drawer.tsx'
import { isExposed, shownValue } from '../../../data/variables/labels.ts'
import { labels } from './labels.ts'
import classes from './variables-grid.module.css'
import { labels as rollLabels } from '../../../parts/rolls/labels.ts'
import { isRotation, waitsText } from '../../../parts/plans/state.ts'

/** What people see of a variable in a stage. */
export interface VisibleValues {
  /** Absent: the values are hidden. */
  readonly entry: RevealedEntry | undefined
  /** When they are hidden again, if a person revealed them. */
  readonly untilMs: number | undefined
}

type VisibleIn = (target: CellTarget, variable: Cell['variable']) => VisibleValues

interface HintValue {
  /** Which of the values of a roll it is: its label or letter. Undefined: it is the only one. */
  readonly side?: string | undefined
  readonly value: string
}

interface CellFacts {
  /** Values that people see, whole. */
  readonly values: readonly HintValue[]
  readonly text: string
  /** Whether the text says why the cell shows no value. */
  readonly isReason?: boolean
  /** When the values are hidden again, if a person revealed them. */
  readonly untilMs?: number | undefined
}

interface CellHintsProps {
  readonly factsOf: (cell: CellTarget) => CellFacts | undefined
  readonly children: ReactNode
}

/**
 * Shows the hint of the cell under the mouse or the focus, after a moment, or at once with a value that the person revealed. It covers
 * other cells, so it appears only on a sign, for the keyboard in a cell with a sign, and where the cell does not show everything;
 * elsewhere it is for screen readers. There is one hint, because there may be hundreds of cells.
 */
export function CellHints({ factsOf, children }: CellHintsProps) {
  const { element, isOnSign, hasRested, handlers } = useHint()
  const cell = element && cellOf(element)
  const facts = cell && factsOf(cell)
  return (
    <div {...handlers}>
      {children}
      {element && facts && <CellHint {...{ element, facts, isOnSign, hasRested }} />}
    </div>
  )
}

const restMs = 400

/**
 * Returns the element with the attribute data-hint on which the mouse or the focus rests. The Escape key dismisses it, too
 * (WCAG 2.2, 1.4.13).
 */
function useHint() {
  const [{ element, isOnSign }, setPlace] = useState(nowhere)
  const [hasRested, setRested] = useState(false)
  const rest = useDebouncedCallback(() => setRested(true), restMs)
  const stop = (): void => {
    rest.cancel()
    setRested(false)
  }
  const hide = (): void => {
    stop()
    setPlace(nowhere)
  }
  const enter = (target: EventTarget, isWithSign = false): void => {
    const place = placeOf(target)
    const next = { ...place, isOnSign: place.isOnSign || isWithSign }
    if (next.element === element && next.isOnSign === isOnSign) return
    stop()
    setPlace(next)
    if (next.element) rest()
  }
  // Someone who types looks elsewhere than at what is under the mouse.
  useWindowEvent('keydown', ({ key }) => (key === 'Escape' || element !== document.activeElement) && hide())
  return {
    element,
    isOnSign,
    hasRested,
    handlers: {
      onPointerOver: ({ target, pointerType }: PointerEvent) => pointerType === 'mouse' && enter(target),
      onPointerLeave: hide,
      onFocus: ({ target }: FocusEvent) => target.matches(':focus-visible') && enter(target, isCompared(target)),
      onBlur: hide,
      // A click that reveals the value shows it in the hint.
      onClick: stop,
      onScrollCapture: hide,
    },
  }
}

/** Returns whether a cell has a sign of the legend, which those who have no mouse cannot point at. */
function isCompared(target: Element): boolean {
  const { state } = target instanceof HTMLElement ? target.dataset : {}
  return state !== undefined && state !== 'set'
}

interface Place {
  /** The element of the cell with the attribute data-hint. */
  readonly element: HTMLElement | null
  /** Whether it is on a part with the attribute data-sign, which the hint explains. */
  readonly isOnSign: boolean
}

const nowhere: Place = { element: null, isOnSign: false }

function placeOf(target: EventTarget): Place {
  return { element: elementOf(target), isOnSign: target instanceof Element && target.closest('[data-sign]') !== null }
}

interface CellHintProps {
  /** The cell of the hint. */
  readonly element: HTMLElement
  readonly facts: CellFacts
  readonly isOnSign: boolean
  readonly hasRested: boolean
}

function CellHint({ element, facts: { values, text, isReason, untilMs }, isOnSign, hasRested }: CellHintProps) {
  const id = useId()
  useEffect(() => {
    element.setAttribute('aria-describedby', id)
    return () => element.removeAttribute('aria-describedby')
  }, [element, id])
  const isCut = values.length > 0 && !showsAll(element)
  const isOnlyHere = isReason || element.dataset['hintOnly'] !== undefined
  const isShown = untilMs !== undefined || (hasRested && (isOnSign || isCut || isOnlyHere))
  if (!isShown) {
    return (
      <VisuallyHidden>
        <span id={id}>{text}</span>
      </VisuallyHidden>
    )
  }
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
          {(isCut ? values : []).map(({ side, value }, at) => (
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

/** Returns whether the cell itself has room for its texts, which have the attribute data-value, so that the hint need not repeat them. */
function showsAll(element: HTMLElement): boolean {
  const cell = element.closest(cells)
  const texts = [...(cell?.querySelectorAll('[data-value]') ?? [])]
  if (!cell || !isWhole(cell)) return false
  // The buttons of the cell cover the end of a value.
  const end = cell.querySelector('[data-actions]')?.getBoundingClientRect().left ?? Infinity
  return (
    texts.length > 0 &&
    texts.every((text) => isWhole(text) && text.getBoundingClientRect().left + text.scrollWidth <= end)
  )
}

/** What is too wide is cut or wraps to another line, out of sight. Letters alone may be a little higher than their line. */
function isWhole({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element): boolean {
  return scrollWidth <= clientWidth && scrollHeight <= 1.5 * clientHeight
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
  visibleIn: VisibleIn,
  projectSlug: string,
  waiting: WaitingProposals,
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
    const proposal = waiting.get(stageSlug)?.get(name)
    const isHidden = cell.variable !== undefined && !may('read', { projectSlug, stageSlug })
    const isLocked =
      !isHidden && !entry && stages[at]?.isProtected === true && cell.variable !== undefined && isExposed(cell.variable)
    const text = [
      comparisonSentence(cell, row, stages, at, visibleIn),
      ...(isHidden ? [labels.hiddenText] : []),
      ...(isLocked ? [labels.lockedText] : []),
      ...changeOf(updatedAtMs, updatedBy),
      ...(proposal
        ? [
            labels.waiting(
              waitsText(proposal, isRotation(proposal, cell.variable)),
              proposal.reason,
              dueText(proposal, nowMs),
            ),
          ]
        : []),
    ]
      .filter((sentence) => sentence !== '')
      .join('\n')
    const isReason = isHidden || isLocked || cell.state === 'unopened'
    return { values: entry ? hintValuesOf(entry, cell.variable?.labels) : [], text, isReason, untilMs }
  }
}

function dueText({ dueAtMs }: ListedChange, nowMs: number): string | undefined {
  return dueAtMs === undefined ? undefined : relativeTime(dueAtMs, nowMs)
}

/** Returns the values of an entry, those of a roll with their sides. */
function hintValuesOf(entry: RevealedEntry, names: Labels | undefined): readonly HintValue[] {
  const values = valuesOf(entry).map(shortened)
  if (entry.kind !== 'ab_roll') return values.map((value) => ({ value }))
  const sides = [names?.a ?? rollLabels.a, names?.b ?? rollLabels.b]
  return values.map((value, at) => ({ side: sides[at], value }))
}

const maxHintCharacters = 600

function shortened(value: string): string {
  return value.length > maxHintCharacters ? `${value.slice(0, maxHintCharacters)}…` : value
}

function comparisonSentence(
  { state, variable }: Cell,
  { name, cells, declared }: Row,
  stages: readonly Stage[],
  at: number,
  visibleIn: VisibleIn,
): string {
  const stage = stages[at]
  if (declared && stage && !isRequiredIn(declared, stage)) return labels.optional
  const first = cells.findIndex((cell) => cell.state === 'set')
  const firstName = stages[first]?.name ?? ''
  const reference = cells[first]?.variable
  if (state === 'different' && variable && reference) {
    return labels.differsFrom(
      firstName,
      differences(reference, variable, () => labels.otherValue),
    )
  }
  if (state === 'missing' && reference && isExposed(reference)) {
    const { entry } = visibleIn({ stageSlug: stages[first]?.stageSlug ?? '', name }, reference)
    if (entry?.kind === 'secret') return labels.missingValue(shownValue(entry.value), firstName)
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

const cells = '[role=gridcell], [role=rowheader]'

/** Returns the focused part of a cell that contains the target, if any. */
function elementOf(target: EventTarget): HTMLElement | null {
  const cell = target instanceof Element ? target.closest(cells) : null
  return cell?.querySelector<HTMLElement>('[data-hint]') ?? null
}

/** Returns the cell that contains the target, if any. */
export function cellOf(target: EventTarget): CellTarget | undefined {
  const hint = elementOf(target)?.dataset['hint']
  if (hint === undefined) return undefined
  const [stageSlug = '', ...name] = hint.split('/')
  return { stageSlug, name: name.join('/') }
}
