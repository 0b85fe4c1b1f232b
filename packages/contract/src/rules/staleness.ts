/** Which variables are not used any more, and which rolls have ended. */
import type { PinCounts } from './decision.ts'
import type { Kind } from './kinds.ts'
import { limits } from './limits.ts'

const msPerDay = 86_400_000

/** What decides whether a variable is stale: a variable of a list. */
export interface UsedVariable {
  /** Kind of the variable. */
  readonly kind: Kind
  /** Probability of A of a roll, from 0 to 1. Absent: it is not a roll. */
  readonly chance?: number | undefined
  /** How many seeds are pinned to each side of a roll. Absent: none. */
  readonly pinned?: PinCounts | undefined
  /** Targeting rules of a roll. Absent: none. */
  readonly rules?: readonly unknown[] | undefined
  /** When it was created, in Unix milliseconds. */
  readonly createdAtMs: number
  /** When it was last written, in Unix milliseconds. */
  readonly updatedAtMs: number
  /** Last UTC day on which a value was served: YYYY-MM-DD. Absent: none. */
  readonly lastEvaluatedDay?: string | undefined
}

/**
 * Why a variable can be deleted. `unused`: it was not evaluated for that long. `done`: a roll that has given the same side to all for
 * that long, so the code can use the value of that side.
 */
export type Staleness = 'unused' | 'done'

/**
 * Returns why a variable can be deleted, or undefined. Never throws.
 *
 * @param nowMs Unix time in milliseconds.
 * @param days How long it must have been so, in days. @default 30
 * @example
 * staleness({ kind: 'secret', createdAtMs: 0, updatedAtMs: 0, lastEvaluatedDay: '2026-01-01' }, Date.UTC(2026, 2, 1)) // 'unused'
 */
export function staleness(
  variable: UsedVariable,
  nowMs: number,
  days: number = limits.staleDays,
): Staleness | undefined {
  const sinceMs = nowMs - days * msPerDay
  const lastUsedMs =
    variable.lastEvaluatedDay === undefined
      ? variable.createdAtMs
      : Date.parse(variable.lastEvaluatedDay) + msPerDay - 1
  if (lastUsedMs < sinceMs) return 'unused'
  return endedSide(variable) && variable.updatedAtMs < sinceMs ? 'done' : undefined
}

/**
 * Returns the side that a roll gives to all, or undefined for others. Never throws.
 *
 * @example
 * endedSide({ kind: 'ab_roll', chance: 1 }) // 'a'
 */
export function endedSide({
  kind,
  chance,
  pinned,
  rules = [],
}: Pick<UsedVariable, 'kind' | 'chance' | 'pinned' | 'rules'>): 'a' | 'b' | undefined {
  if (kind !== 'ab_roll' || pinned !== undefined || rules.length > 0) return undefined
  if (chance === 1) return 'a'
  return chance === 0 ? 'b' : undefined
}
