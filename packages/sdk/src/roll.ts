import { expectRoll } from './options.ts'
import type { Roll } from './types.ts'

/** A roll as it is asked for. */
export interface AskedRoll extends Roll {
  /** Whether the answer tells what decided. */
  readonly explain?: boolean | undefined
}

/** Merges the roll of a call over the bound roll, field by field. Throws INVALID_REQUEST for an option that does not exist. */
export function merged(bound: Roll, roll: Roll = {}): Roll {
  expectRoll(roll)
  return { seed: roll.seed ?? bound.seed, key: roll.key ?? bound.key, context: roll.context ?? bound.context }
}
