import type { ListedChange, Stage } from '@rollkey/sdk/core'
import { ActionIcon } from '@mantine/core'
import { endedSide, opens, valuesOf } from '@rollkey/contract/rules'
import type { WriteEntry } from '@rollkey/contract'
import type { MouseEvent, ReactNode } from 'react'
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
import { effectNames, effectOf, type PendingChange, stateOf } from '../../../data/unsaved-changes/change-set.ts'
import { writeRuleOf } from '../../../data/proposals/write-rule.ts'
import { type Cell, type CellState, needsAll } from '../../../data/variables/comparison.ts'
import { isExposed, servedText, bothSides, splitText } from '../../../data/variables/labels.ts'
import { type CellAction, hintOf } from './cell-hints.tsx'
import { type EndEditing, InlineEditor } from './inline-editor.tsx'
import { labels } from './labels.ts'
import { freshOf, isEditedInPlace, type PlainEntry, type Revealed } from './use-cell-actions.ts'
import classes from './variables-grid.module.css'

interface StageCellProps {
  readonly name: string
  readonly stage: Stage
  /** What the viewer may do in the stage. */
  readonly mayRead: boolean
  readonly mayWrite: boolean
  /** Whether its plain values appear only after a fresh confirmation. */
  readonly isLocked: boolean
  readonly cell: Cell
  /** Name of the stage with which the cell is compared. */
  readonly reference: string
  /** The unsaved change of the cell. */
  readonly change: PendingChange | undefined
  /** A change that is proposed for the variable. */
  readonly waiting?: ListedChange | undefined
  /** The entry, if people see its value without revealing it. */
  readonly plain: WriteEntry | undefined
  readonly revealed: Revealed | undefined
  /** Whether the mouse or the focus is in the cell, which then shows its actions. */
  readonly isHot: boolean
  readonly isEditing: boolean
  /** What was entered before and is not saved. */
  readonly draft?: string | undefined
  readonly focus: { readonly tabIndex: number; readonly onFocus: () => void }
  readonly onAction: (action: CellAction) => void
  readonly onEdited: EndEditing
}

/** Shows a variable in a stage: its status, the visible part of its value, and its actions. */
export function StageCell({ name, stage, cell, change, waiting, plain, focus, onAction, ...props }: StageCellProps) {
  const { state, variable } = cell
  const entry = plain ?? freshOf(props.revealed, variable)
  const isAlarm = state === 'missing' && needsAll(stage)
  const isLoud = isAlarm && !change && !waiting
  const { mayRead, mayWrite } = props
  const isPlain = isExposed(variable ?? {}) && !props.isLocked
  const isHidden = hasOneValue(variable) && state !== 'unopened' && !entry && !change
  const isBoolean = mayWrite && !change && plain?.kind === 'secret' && plain.declaredType === 'boolean'
  const isEditable = mayWrite && !change && plain?.kind === 'secret' && isEditedInPlace(plain)
  const what = labels.place(name, stage.name)
  if (props.isEditing && plain?.kind === 'secret') return editedCell({ ...props, stage, focus }, what, plain)
  return (
    <div role="gridcell" className={classes['stage']} data-stage={stage.name}>
      <button
        type="button"
        className={classes['cell']}
        data-state={state}
        data-loud={isLoud || undefined}
        data-hint={hintOf(stage.stageSlug, name)}
        data-changed={change !== undefined || undefined}
        data-switch={isBoolean || undefined}
        data-masked={(isHidden && mayRead && !isPlain) || undefined}
        data-revealed={(entry !== undefined && !isPlain && !change) || undefined}
        data-loading={(isHidden && mayRead && isPlain) || undefined}
        aria-label={labels.cell(what, [
          labels.state(state, isAlarm && !waiting, props.reference),
          ...factsOf(cell, mayRead, change, entry),
          ...(waiting ? [waitsText(waiting)] : []),
        ])}
        data-proposed={(waiting && state === 'missing' && !change) || undefined}
        data-editable={isEditable || undefined}
        onClick={(event) => onAction(isEditable && isOnValue(event) ? 'edit' : 'open')}
        {...focus}
      >
        {change ? (
          <Draft change={change} />
        ) : (
          <CellContent {...{ cell, entry, isLoud, isBoolean, waiting }} isHidden={isHidden && !mayRead} />
        )}
      </button>
      {isBoolean && (
        <Switch
          label={labels.switch(name, stage.name)}
          isOn={plain.value === 'true'}
          onToggle={() => onAction('toggle')}
        />
      )}
      {props.isHot && variable && opens(variable) && (
        <CellActions
          what={what}
          variable={variable}
          isPlain={isPlain}
          isRevealed={entry !== undefined}
          {...{ mayRead, mayWrite, onAction }}
        />
      )}
    </div>
  )
}

function waitsText({ dueAtMs }: ListedChange): string {
  return labels.waits[dueAtMs === undefined ? 'proposed' : 'planned']
}

type EditedCellProps = Pick<StageCellProps, 'stage' | 'draft' | 'focus' | 'onEdited'>

/** Returns the cell while its value is edited there. */
function editedCell({ stage, draft, focus, onEdited }: EditedCellProps, label: string, entry: PlainEntry): ReactNode {
  return (
    <div role="gridcell" className={classes['stage']} data-stage={stage.name}>
      <InlineEditor
        label={label}
        entry={entry}
        draft={draft}
        isProposed={writeRuleOf(stage, Date.now()).isProposed}
        onFocus={focus.onFocus}
        onDone={onEdited}
      />
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

interface CellContentProps {
  readonly cell: Cell
  readonly entry: WriteEntry | undefined
  readonly isLoud: boolean
  readonly isBoolean: boolean
  readonly waiting: ListedChange | undefined
  /** Whether the viewer may not read the value. */
  readonly isHidden: boolean
}

function CellContent({ cell, entry, isLoud, isBoolean, waiting, isHidden }: CellContentProps) {
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
        <StateIcon state={cell.state} isLoud={isLoud} />
      </span>
      {!isBoolean && <CellText cell={cell} entry={entry} />}
      {isHidden && <span className={classes['hidden']}>{labels.hidden}</span>}
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

/** Returns what a screen reader reads after the variable, stage and state of a cell. */
function factsOf(
  { variable }: Cell,
  mayRead: boolean,
  change: PendingChange | undefined,
  entry: WriteEntry | undefined,
): readonly string[] {
  const { exposure } = variable ?? {}
  const value = change ? plainDraftOf(change) : entry?.kind === 'secret' ? entry.value : undefined
  return [
    ...(change ? [labels.unsaved(effectNames[effectOf(change)])] : []),
    ...(variable && !change ? rollFacts(variable, entry) : []),
    ...(value === undefined ? (exposure === undefined ? [] : [exposure]) : [value]),
    ...(variable && !mayRead ? [labels.hidden] : []),
  ]
}

/** Returns what the cell of a roll shows: its chance, and its values, if they are visible. */
function rollFacts(variable: NonNullable<Cell['variable']>, entry: WriteEntry | undefined): readonly string[] {
  if (variable.chance === undefined) return []
  const split = splitText(variable)
  return [entry ? `${split} ${valuesText(variable, valuesOf(entry))}` : split]
}

/** Returns both values of a roll that a person revealed, and those that people get of a plain one. */
function valuesText(variable: NonNullable<Cell['variable']>, values: readonly string[]): string {
  return isExposed(variable) ? servedText(values, variable) : bothSides(values)
}

/** Returns whether the cell shows one value; a roll shows its chance. Of a value that is not known, the style sheet draws the mask. */
function hasOneValue(variable: Cell['variable']): variable is NonNullable<Cell['variable']> {
  return variable !== undefined && variable.chance === undefined
}

interface CellTextProps {
  readonly cell: Cell
  /** The entry, if its values are visible. */
  readonly entry: WriteEntry | undefined
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

/**
 * Shows the chance of a roll, and its values where the cell has room for all of them: what wraps is out of sight. Of a settled roll,
 * everyone gets one value, which is enough.
 */
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
      {values && <span className={classes['value']}>{valuesText(variable, values)}</span>}
    </span>
  )
}

interface CellActionsProps {
  readonly what: string
  readonly variable: NonNullable<Cell['variable']>
  /** Whether the values need no reveal. */
  readonly isPlain: boolean
  readonly isRevealed: boolean
  readonly mayRead: boolean
  readonly mayWrite: boolean
  readonly onAction: (action: CellAction) => void
}

/** Shows the buttons of a cell for the mouse. The keyboard has a key for each. */
function CellActions({ what, variable, isPlain, isRevealed, mayRead, mayWrite, onAction }: CellActionsProps) {
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
      {mayRead && act('copy', labels.copy, <IconCopy />)}
      {mayWrite &&
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
      return <span className={classes['reference']} />
  }
}
