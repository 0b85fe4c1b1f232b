import type { ListedChange, Stage } from '@rollkey/sdk/core'
import { ActionIcon } from '@mantine/core'
import { endedSide, opens, valuesOf } from '@rollkey/contract/rules'
import type { RevealedEntry } from '@rollkey/contract'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import {
  IconCopy,
  IconDifferent,
  IconDraft,
  IconEdit,
  IconHide,
  IconMissing,
  IconProposed,
  IconReveal,
  IconStop,
  IconSame,
  IconTime,
  IconUnreadable,
  IconWarning,
} from '../../../ui/icons.ts'
import { useNow } from '../../../ui/time.tsx'
import { effectNames, effectOf, type PendingChange, stateOf } from '../../../data/unsaved-changes/change-set.ts'
import { isRotation, waitsText } from '../../../parts/plans/state.ts'
import { writeRuleOf } from '../../../data/proposals/write-rule.ts'
import type { Cell, CellState } from '../../../data/variables/comparison.ts'
import { isExposed, servedText, bothSides, splitText } from '../../../data/variables/labels.ts'
import { type CellAction, hintOf } from './cell-hints.tsx'
import type { CellView } from './cell-view.ts'
import { InlineEditor } from './inline-editor.tsx'
import { labels } from './labels.ts'
import { useCellActions } from './use-cell-actions.ts'
import classes from './variables-grid.module.css'

interface StageCellProps {
  readonly view: CellView
  /** Whether the mouse or the focus is in the cell, which then shows its actions. */
  readonly isHot: boolean
  readonly focus: { readonly tabIndex: number; readonly onFocus: () => void }
}

/** Shows a variable in a stage: its status, the visible part of its value, and its actions. */
export function StageCell({ view, isHot, focus }: StageCellProps) {
  const { act } = useCellActions()
  const { name, stage, cell, change, waiting, entry, isPlain, hidden, input, edited } = view
  const { state, variable } = cell
  const what = labels.place(name, stage.name)
  const onAction = (action: CellAction): void => act(action, { stageSlug: stage.stageSlug, name })
  if (edited) return <EditedCell {...edited} stage={stage} label={what} onFocus={focus.onFocus} />
  return (
    <div role="gridcell" className={classes['stage']} data-stage={stage.name}>
      <button
        type="button"
        className={classes['cell']}
        data-state={state}
        data-loud={view.isLoud || undefined}
        data-hint={hintOf(stage.stageSlug, name)}
        data-changed={change !== undefined || undefined}
        data-switch={input === 'switch' || undefined}
        data-masked={hidden === 'masked' || undefined}
        data-revealed={(entry !== undefined && !isPlain && !change) || undefined}
        data-loading={hidden === 'loading' || undefined}
        aria-label={labels.cell(what, factsOf(view))}
        data-proposed={(waiting && state === 'missing' && !change) || undefined}
        data-editable={input === 'field' || undefined}
        onClick={(event) => onAction(input === 'field' && isOnValue(event) ? 'edit' : 'open')}
        {...focus}
      >
        {change ? <Draft change={change} /> : <CellContent view={view} />}
      </button>
      {input === 'switch' && entry?.kind === 'secret' && (
        <Switch
          label={labels.switch(name, stage.name)}
          isOn={entry.value === 'true'}
          onToggle={() => onAction('toggle')}
        />
      )}
      {isHot && variable && opens(variable) && (
        <CellActions what={what} view={view} variable={variable} onAction={onAction} />
      )}
    </div>
  )
}

type EditedCellProps = Omit<ComponentProps<typeof InlineEditor>, 'isProposed' | 'stage'> & { readonly stage: Stage }

/** Shows the cell while its value is edited there. */
function EditedCell({ stage, ...editor }: EditedCellProps) {
  const { isProposed } = writeRuleOf(stage, useNow())
  return (
    <div role="gridcell" className={classes['stage']} data-stage={stage.name}>
      <InlineEditor {...editor} stage={stage} isProposed={isProposed} />
    </div>
  )
}

/** Shows an unsaved change: its new value, if that is plain, or what it does. */
function Draft({ change }: { readonly change: PendingChange }) {
  const value = plainDraftOf(change)
  return (
    <>
      <IconDraft />
      {value === undefined ? (
        <span className={classes['word']}>{effectNames[effectOf(change)]}</span>
      ) : (
        <span data-value className={classes['draft-value']}>
          {value}
        </span>
      )}
    </>
  )
}

function plainDraftOf(change: PendingChange): string | undefined {
  return change.entry?.kind === 'secret' && isExposed(stateOf(change) ?? {}) ? change.entry.value : undefined
}

interface SwitchProps {
  readonly label: string
  readonly isOn: boolean
  readonly onToggle: () => void
}

function Switch({ label, isOn, onToggle }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      className={classes['switch']}
      tabIndex={-1}
      onClick={onToggle}
    />
  )
}

/** Returns whether a click is on the value of the cell, or comes from the keyboard. */
function isOnValue({ detail, target }: MouseEvent): boolean {
  return detail === 0 || (target instanceof Element && target.closest('[data-value]') !== null)
}

function CellContent({ view }: Pick<StageCellProps, 'view'>) {
  const { cell, entry, hidden, input, waiting } = view
  const mark = waiting && <WaitingMark proposal={waiting} />
  if (mark && cell.state === 'missing') {
    return (
      <>
        {mark}
        <span data-sign className={classes['word']}>
          {labels.proposed}
        </span>
      </>
    )
  }
  return (
    <>
      <span data-sign className={classes['sign']}>
        <StateIcon state={cell.state} isLoud={view.isLoud} />
      </span>
      {input !== 'switch' && <CellText cell={cell} entry={entry} />}
      {hidden === 'forbidden' && <span className={classes['hidden']}>{labels.hidden}</span>}
      {mark}
    </>
  )
}

/** Marks a cell for which a change is proposed or planned. The hint of the cell says which. */
function WaitingMark({ proposal: { dueAtMs } }: { readonly proposal: ListedChange }) {
  const Art = dueAtMs === undefined ? IconProposed : IconTime
  return (
    <span data-sign className={classes['waiting']}>
      <Art size={14} />
    </span>
  )
}

/** Returns what a screen reader reads after the variable and stage of a cell. */
function factsOf({ cell: { state, variable }, isAlarm, reference, waiting, mayRead, change, entry }: CellView) {
  const { exposure } = variable ?? {}
  const value = change ? plainDraftOf(change) : entry?.kind === 'secret' ? entry.value : undefined
  return [
    labels.state(state, isAlarm, reference),
    ...(change ? [labels.draft(effectNames[effectOf(change)])] : []),
    ...(variable && !change ? rollFacts(variable, entry) : []),
    ...(value === undefined ? (exposure === undefined ? [] : [exposure]) : [value]),
    ...(variable && !mayRead ? [labels.hidden] : []),
    ...(waiting ? [waitsText(waiting, isRotation(waiting, variable))] : []),
  ]
}

/** Returns what the cell of a roll shows: its chance, and its values, if they are visible. */
function rollFacts(variable: NonNullable<Cell['variable']>, entry: RevealedEntry | undefined): readonly string[] {
  if (variable.chance === undefined) return []
  const split = splitText(variable)
  return [entry ? `${split} ${valuesText(variable, valuesOf(entry))}` : split]
}

/** Returns both values of a roll that a person revealed, and of a plain one what its chance leaves to say. */
function valuesText(variable: NonNullable<Cell['variable']>, values: readonly string[]): string {
  return isExposed(variable) ? servedText(values, variable) : bothSides(values)
}

interface CellTextProps {
  readonly cell: Cell
  /** The entry, if its values are visible. */
  readonly entry: RevealedEntry | undefined
}

function CellText({ cell: { state, variable }, entry }: CellTextProps): ReactNode {
  if (!variable || state === 'unopened')
    return (
      <span data-sign className={classes['word']}>
        {labels.state(state, false)}
      </span>
    )
  const { chance } = variable
  const values = entry && valuesOf(entry)
  return (
    <>
      {chance !== undefined && <RollText variable={variable} values={values} />}
      {values && chance === undefined && (
        <span data-value className={classes['value']}>
          {values}
        </span>
      )}
    </>
  )
}

interface RollTextProps {
  readonly variable: NonNullable<Cell['variable']>
  /** Values A and B, if they are visible. */
  readonly values: readonly string[] | undefined
}

/** Shows the chance of a roll, and its values where the cell has room for them. Of a settled roll, everyone gets one value, which is enough. */
function RollText({ variable, values }: RollTextProps) {
  const { chance = 0 } = variable
  // They stay in the cell, however narrow it is.
  const isRevealed = values !== undefined && !isExposed(variable)
  const isSettled = endedSide(variable) !== undefined
  return (
    <span data-value className={classes['roll']} data-revealed={isRevealed || undefined}>
      <span className={classes['chance']}>
        <span className={classes['bar']} data-settled={isSettled || undefined}>
          <span style={{ width: `${100 * chance}%` }} />
        </span>
        {splitText(variable)}
      </span>{' '}
      {values && (
        <span data-value className={classes['value']}>
          {valuesText(variable, values)}
        </span>
      )}
    </span>
  )
}

interface CellActionsProps {
  readonly what: string
  readonly view: CellView
  readonly variable: NonNullable<Cell['variable']>
  readonly onAction: (action: CellAction) => void
}

/** Shows the buttons of a cell for the mouse. The keyboard has a key for each. A revealed value has the width of most of them. */
function CellActions({ what, view, variable, onAction }: CellActionsProps) {
  const { isPlain, mayRead, mayWrite } = view
  const isRevealed = view.entry !== undefined && !isPlain
  const isOneValue = variable.kind === 'secret'
  const act = (action: CellAction, label: string, icon: ReactNode) => (
    <ActionIcon
      size={26}
      tabIndex={-1}
      aria-label={labels.actionOf(label, what)}
      title={label}
      onClick={() => onAction(action)}
    >
      {icon}
    </ActionIcon>
  )
  return (
    <span data-actions className={classes['actions']}>
      {mayRead &&
        !isPlain &&
        act('reveal', isRevealed ? labels.hide : labels.reveal, isRevealed ? <IconHide /> : <IconReveal />)}
      {mayWrite &&
        isPlain &&
        isOneValue &&
        variable.declaredType !== 'boolean' &&
        act('edit', labels.edit, <IconEdit />)}
      {mayRead && !isRevealed && act('copy', labels.copy, <IconCopy />)}
      {mayWrite &&
        !isRevealed &&
        variable.chance !== undefined &&
        endedSide(variable) !== 'b' &&
        act('stop', labels.stop, <IconStop />)}
    </span>
  )
}

interface StateIconProps {
  readonly state: CellState
  /** Whether production lacks the variable. */
  readonly isLoud: boolean
}

function StateIcon({ state, isLoud }: StateIconProps) {
  if (isLoud) return <IconWarning />
  switch (state) {
    case 'same':
      return <IconSame />
    case 'different':
      return <IconDifferent />
    case 'missing':
      return <IconMissing />
    case 'unopened':
      return <IconUnreadable />
    case 'set':
    case 'hidden':
      return <span className={classes['reference']} />
  }
}
