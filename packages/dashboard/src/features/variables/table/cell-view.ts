/** What a cell of the table shows of a variable in a stage, and what the viewer may do there. */
import type { RevealedEntry } from '@rollkey/contract'
import type { ListedChange, Stage } from '@rollkey/sdk/core'
import type { PendingChange } from '../../../data/unsaved-changes/change-set.ts'
import type { Cell } from '../../../data/variables/comparison.ts'
import { isExposed } from '../../../data/variables/labels.ts'
import { isEditedInPlace, isSwitched, type PlainEntry } from './use-cell-actions.ts'
import { freshOf, type Revealed } from '../use-revealed.ts'

/** What is known about a cell. */
export interface CellFacts {
  readonly name: string
  readonly stage: Stage
  readonly cell: Cell
  /** Name of the stage with which the cell is compared. */
  readonly reference: string
  /** Whether it is an alarm that the stage lacks a variable. */
  readonly isNeeded: boolean
  /** What the viewer may do in the stage. */
  readonly mayRead: boolean
  readonly mayWrite: boolean
  /** The unsaved change of the cell. */
  readonly change?: PendingChange | undefined
  /** A change that is proposed for the variable. */
  readonly waiting?: ListedChange | undefined
  /** The entry, if people see its value without revealing it. */
  readonly plain?: RevealedEntry | undefined
  /** Whether the plain values of the stage appear only after a fresh confirmation. */
  readonly isLocked?: boolean
  readonly revealed?: Revealed | undefined
  /** What was entered before and is not saved, if the value is edited in the cell. */
  readonly editing?: { readonly draft: string | undefined } | undefined
}

export interface CellView extends Omit<CellFacts, 'plain' | 'isLocked' | 'revealed' | 'editing'> {
  /** The entry whose values the cell shows. */
  readonly entry: RevealedEntry | undefined
  /** Whether the values need no reveal. */
  readonly isPlain: boolean
  /** Why the cell shows no value although the stage has one. Undefined: it shows it, or a word in its place. */
  readonly hidden: 'masked' | 'loading' | 'forbidden' | undefined
  /** Whether production lacks the variable, and no change proposes it. */
  readonly isAlarm: boolean
  /** Whether the cell alarms: not even an unsaved change adds the variable. */
  readonly isLoud: boolean
  /** How the plain value is changed in the cell. Undefined: not there. */
  readonly input: 'switch' | 'field' | undefined
  /** The value that is edited in the cell now. */
  readonly edited: { readonly entry: PlainEntry; readonly draft: string | undefined } | undefined
}

export function cellView({ plain, isLocked = false, revealed, editing, ...facts }: CellFacts): CellView {
  const { cell, change, waiting, mayRead, mayWrite } = facts
  const { state, variable } = cell
  const entry = plain ?? freshOf(revealed, variable)
  const isPlain = isExposed(variable ?? {}) && !isLocked
  // A roll shows its chance.
  const isHidden = variable !== undefined && variable.chance === undefined && state !== 'unopened' && !entry && !change
  const secret = plain?.kind === 'secret' ? plain : undefined
  const isAlarm = state === 'missing' && facts.isNeeded && !waiting
  return {
    ...facts,
    entry,
    isPlain,
    hidden: isHidden ? (mayRead ? (isPlain ? 'loading' : 'masked') : 'forbidden') : undefined,
    isAlarm,
    isLoud: isAlarm && !change,
    input: mayWrite && !change && secret ? inputOf(secret) : undefined,
    edited: editing && secret && { entry: secret, draft: editing.draft },
  }
}

function inputOf(entry: PlainEntry): CellView['input'] {
  if (isSwitched(entry)) return 'switch'
  return isEditedInPlace(entry) ? 'field' : undefined
}
