import type { Roll } from './types.ts'

/** A roll as it is asked for. */
export interface AskedRoll extends Roll {
  /** Whether the answer tells what decided. */
  readonly explain?: boolean | undefined
}

/** Merges the roll of a call over the bound roll, field by field. */
export function merged(bound: Roll, roll: Roll = {}): Roll {
  return { seed: roll.seed ?? bound.seed, key: roll.key ?? bound.key, context: roll.context ?? bound.context }
}
