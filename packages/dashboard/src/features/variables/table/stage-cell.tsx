import { ActionIcon } from '@mantine/core'
import { endedSide, opens, valuesOf } from '@rollkey/contract/rules'
import type { WriteEntry } from '@rollkey/contract'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import {
  IconClose,
  IconCopy,
  IconDifferent,
  IconDone,
  IconDraft,
  IconEdit,
  IconHide,
  IconMissing,
  IconReveal,
  IconStop,
  IconSame,
  IconUnreadable,
  IconWarning,
} from '../../../ui/icons.ts'
import { effectNames, effectOf, type PendingChange } from '../../changes/change-set.ts'
import type { Stage } from '../../projects/queries.ts'
import type { Cell, CellState } from '../comparison.ts'
import { isExposed, servedText, bothSides, splitText } from '../labels.ts'
import { valueProblem } from '../editor/draft.ts'
import { type CellAction, hintOf } from './cell-hints.tsx'
import { labels } from './labels.ts'
import { freshOf, isEditedInPlace, type Revealed } from './use-cell-actions.ts'
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
  /** Ends editing in the cell. Without a value, nothing is saved. */
  readonly onEdited: (value?: string) => void
}

/** Shows a variable in a stage: its status, the visible part of its value, and its actions. */
export function StageCell({ name, stage, cell, change, plain, focus, onAction, ...props }: StageCellProps) {
  const { state, variable } = cell
  const entry = plain ?? freshOf(props.revealed, variable)
  const isAlarm = state === 'missing' && stage.isProduction
  const isLoud = isAlarm && !change
  const { mayRead, mayWrite } = props
  const isPlain = isExposed(variable ?? {}) && !props.isLocked
  const isHidden = hasOneValue(variable) && state !== 'unopened' && !entry && !change
  const isBoolean = mayWrite && !change && plain?.kind === 'secret' && plain.declaredType === 'boolean'
  const isEditable = mayWrite && !change && plain?.kind === 'secret' && isEditedInPlace(plain)
  const what = labels.place(name, stage.name)
  if (props.isEditing && plain?.kind === 'secret') {
    return <EditedCell stage={stage} label={what} entry={plain} draft={props.draft} onDone={props.onEdited} />
  }
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
        data-loading={(isHidden && mayRead && isPlain) || undefined}
        aria-label={labels.cell(what, [
          labels.state(state, isAlarm, props.reference),
          ...factsOf(cell, mayRead, change, plain),
        ])}
        data-editable={isEditable || undefined}
        onClick={(event) => onAction(isEditable && isOnValue(event) ? 'edit' : 'open')}
        {...focus}
      >
        {change ? (
          <Draft change={change} />
        ) : (
          <CellContent {...{ cell, entry, isLoud, isBoolean }} isHidden={isHidden && !mayRead} />
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

function Draft({ change }: { readonly change: PendingChange }) {
  return (
    <>
      <IconDraft />
      <span className={classes['word']}>{effectNames[effectOf(change)]}</span>
    </>
  )
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
  /** Whether the viewer may not read the value. */
  readonly isHidden: boolean
}

function CellContent({ cell, entry, isLoud, isBoolean, isHidden }: CellContentProps) {
  return (
    <>
      <span data-sign className={classes['sign']}>
        <StateIcon state={cell.state} isLoud={isLoud} />
      </span>
      {!isBoolean && <CellText cell={cell} entry={entry} />}
      {isHidden && <span className={classes['hidden']}>{labels.hidden}</span>}
    </>
  )
}

/** Returns what a screen reader reads after the variable, stage and state of a cell. */
function factsOf(
  { variable }: Cell,
  mayRead: boolean,
  change: PendingChange | undefined,
  plain: WriteEntry | undefined,
): readonly string[] {
  const { chance, exposure } = variable ?? {}
  return [
    ...(change ? [labels.unsaved(effectNames[effectOf(change)])] : []),
    ...(variable && chance !== undefined ? [splitText(variable)] : []),
    ...(plain?.kind === 'secret' ? [plain.value] : exposure === undefined ? [] : [exposure]),
    ...(variable && !mayRead ? [labels.hidden] : []),
  ]
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
      {chance !== undefined && (
        <RollText variable={variable} values={values} isRevealed={entry !== undefined && !isExposed(variable)} />
      )}
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
  /** Whether a person asked for the values. They stay in the cell then, however narrow it is. */
  readonly isRevealed: boolean
}

/**
 * Shows the chance of a roll, and its values where the cell has room for all of them: what wraps is out of sight. Of a settled roll,
 * everyone gets one value, which is enough.
 */
function RollText({ variable, values, isRevealed }: RollTextProps) {
  const { chance = 0 } = variable
  const isSettled = endedSide(variable) !== undefined
  return (
    <span data-value className={classes['roll']} data-revealed={isRevealed || undefined}>
      <span className={classes['chance']}>
        <span className={classes['bar']} data-settled={isSettled || undefined}>
          <span style={{ width: `${100 * chance}%` }} />
        </span>
        {splitText(variable)}
      </span>
      {values && (
        <span className={classes['value']}>{isRevealed ? bothSides(values) : servedText(values, variable)}</span>
      )}
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

function EditedCell({ stage, ...editor }: InlineEditorProps & { readonly stage: Stage }) {
  return (
    <div role="gridcell" className={classes['stage']} data-stage={stage.name}>
      <InlineEditor {...editor} />
    </div>
  )
}

interface InlineEditorProps {
  /** The variable and its stage. */
  readonly label: string
  readonly entry: Extract<WriteEntry, { kind: 'secret' }>
  /** What the person entered before. */
  readonly draft: string | undefined
  /** Ends editing. Without a value, nothing is saved. */
  readonly onDone: (value?: string) => void
}

/** Edits a plain value in its cell. Enter saves, Escape discards. */
function InlineEditor({ label, entry: { value, declaredType }, draft = value, onDone }: InlineEditorProps) {
  const id = useId()
  const [text, setText] = useState(draft)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const problem = text === value ? null : valueProblem(declaredType ?? '', text, false)
  const save = (): void => {
    if (problem === null) onDone(text === value ? undefined : text)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // The keys of the table are letters here.
    event.stopPropagation()
    if (event.key === 'Escape') onDone()
    if (event.key !== 'Enter') return
    // The cell, which has the focus then, would take the key as well.
    event.preventDefault()
    save()
  }
  return (
    <>
      <input
        ref={input}
        className={classes['input']}
        aria-label={labels.newValue(label)}
        aria-invalid={problem !== null}
        aria-describedby={id}
        inputMode={declaredType === 'int64' || declaredType === 'float' ? 'decimal' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => text === value && onDone()}
      />
      {/* The input keeps the focus, and with it the keyboard of the phone. */}
      <span className={classes['touch-buttons']} onPointerDown={(event) => event.preventDefault()}>
        <ActionIcon size={44} tabIndex={-1} aria-label={labels.saveValue} disabled={problem !== null} onClick={save}>
          <IconDone />
        </ActionIcon>
        <ActionIcon size={44} tabIndex={-1} aria-label={labels.discardValue} onClick={() => onDone()}>
          <IconClose />
        </ActionIcon>
      </span>
      <span id={id} role="status" className={problem === null ? classes['hint'] : classes['problem']}>
        {problem ?? labels.editKeys}
      </span>
    </>
  )
}
