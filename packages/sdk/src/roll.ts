import type { Roll } from './types.ts'

/** Returns whether a roll is random each time. An empty text counts as absent. */
export function isRandom({ seed, key }: Roll): boolean {
  return !seed && !key
}

/** Merges the roll of a call over the bound roll, field by field. */
export function merged(bound: Roll, roll: Roll = {}): Roll {
  return { seed: roll.seed ?? bound.seed, key: roll.key ?? bound.key }
}
