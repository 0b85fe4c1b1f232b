/** What a protected stage requires of changes, beyond the verbs of who makes them (docs/change.md). */
import type { Verb } from './access.ts'
import type { ApprovalRules } from './changes.ts'
import type { Pins } from './decision.ts'
import type { FreezeWindow } from './freeze-windows.ts'
import { kinds, statedAttributes, type UpdateField } from './kinds.ts'

/** The verbs of which one lets people stop a roll without approval. */
export const stopVerbs = ['write', 'approve', 'manage'] as const satisfies readonly Verb[]

/** What a protected stage requires of changes. */
export interface Protection extends ApprovalRules {
  /** Role whose verbs at the stage let a person apply a change without approvals, with a reason; null: no one may. */
  readonly bypassRole: string | null
  /** Verb that lets people and machines stop a roll without approval, also in a freeze. */
  readonly stopVerb: (typeof stopVerbs)[number]
  /** Times at which the stage does not change. */
  readonly freezes: readonly FreezeWindow[]
}

/** What a stage requires whose protection says nothing about changes. */
export const noProtection: Protection = {
  /** No approval. */
  approvals: 0,
  /** Only what others approve. */
  selfApproval: false,
  /** No one. */
  bypassRole: null,
  /** Everyone who may write. */
  stopVerb: 'write',
  /** Never. */
  freezes: [],
}

/** What changes of a roll without its values. */
export interface RollWrite extends Readonly<
  Partial<Record<Exclude<UpdateField, 'chance' | 'rules' | 'pins'>, unknown>>
> {
  /** Probability of value A; absent: as stored. */
  readonly chance?: number | undefined
  /** Targeting rules; null: none; absent: as stored. */
  readonly rules?: readonly unknown[] | null | undefined
  /** Pins; null: none; absent: as stored. */
  readonly pins?: Pins | null | undefined
}

/**
 * Returns whether an update changes something that only a roll has. Never throws.
 *
 * @example
 * changesRoll({ chance: 0.5 }) // true
 */
export function changesRoll(update: RollWrite): boolean {
  return statedAttributes(update).some((name) => !kinds.secret.attributes.includes(name))
}

/**
 * Returns whether a write of a roll stops it: its chance becomes 0, and either nothing else changes, or its pins and rules are cleared,
 * or its rules alone. No one gets A who did not get it before. Never throws.
 *
 * @example
 * isStop({ chance: 0 }) // true
 * isStop({ chance: 0, rules: null, pins: null }) // true
 * isStop({ chance: 0, pins: null }) // false: a rule may give A to who was pinned to B
 */
export function isStop({ chance, rules, pins, ...others }: RollWrite): boolean {
  if (chance !== 0) return false
  // Anything but its name, also what a later version may add.
  if (Object.entries(others).some(([field, each]) => field !== 'name' && each !== undefined)) return false
  const clearsRules = rules === null || rules?.length === 0
  if (rules !== undefined && !clearsRules) return false
  if (pins === undefined) return true
  return clearsRules && [...(pins?.a ?? []), ...(pins?.b ?? [])].length === 0
}
