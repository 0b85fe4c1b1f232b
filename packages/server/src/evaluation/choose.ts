import { isRandom, kinds, type Choice, type Roll } from '@rollkey/contract'
import type { StoredVariable } from '../stages/stored-variable.ts'

/** The source of random and seeded numbers. */
export interface Dice {
  /** Returns the same 0 <= u < 1 for the same name, seed and key. */
  readonly unitOf: (name: string, seed: string, key: string) => number
  /** Returns another random 0 <= u < 1 each time. */
  readonly random: () => number
}

/** Chooses a value of a variable. Without seed and key, the choice of a roll is random. */
export function choose(
  { name, kind, attributes }: Pick<StoredVariable, 'name' | 'kind' | 'attributes'>,
  roll: Roll,
  dice: Dice,
): Choice {
  const { seed = '', key = '' } = roll
  return kinds[kind].choose(attributes, () => (isRandom(roll) ? dice.random() : dice.unitOf(name, seed, key)))
}
