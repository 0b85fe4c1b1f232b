import type { Roll } from './types.ts'

/** Merges the roll of a call over the bound roll, field by field. */
export function merged(bound: Roll, roll: Roll = {}): Roll {
  return { seed: roll.seed ?? bound.seed, key: roll.key ?? bound.key }
}
