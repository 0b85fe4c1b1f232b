import type { Roll } from './types.ts'

/** Whether a roll is different each time; an empty text is as none. */
export function isRandom({ seed, key }: Roll): boolean {
  return !seed && !key
}

/** What a call says wins over what is bound, field by field. */
export function merged(bound: Roll, roll: Roll = {}): Roll {
  return { seed: roll.seed ?? bound.seed, key: roll.key ?? bound.key }
}
