import { isRandom, kinds, type Attributes, type Choice, type Context, type Roll, type Side } from '@rollkey/contract'
import type { StoredVariable } from '../stages/stored-variable.ts'

/** The source of random and seeded numbers. */
export interface Dice {
  /** Returns the same 0 <= u < 1 for the same name, seed and key. */
  readonly unitOf: (name: string, seed: string, key: string) => number
  /** Returns another random 0 <= u < 1 each time. */
  readonly random: () => number
}

/** Who asks: the seed and key of a roll, and the attributes for its targeting rules. */
export interface RollRequest extends Roll {
  readonly context?: Context | undefined
}

/** Chooses a value of a variable. Without seed and key, a chance is random. */
export function choose(
  { name, kind, attributes }: Pick<StoredVariable, 'name' | 'kind' | 'attributes'>,
  roll: RollRequest,
  dice: Dice,
  pinned?: Side,
): Choice {
  const { seed = '', key = '', context } = roll
  const unit = (): number => (isRandom(roll) ? dice.random() : dice.unitOf(name, seed, key))
  return kinds[kind].choose(attributes, { pinned, context, unit })
}

/** Any two buckets decide alike if the outcome does not depend on the bucket: the lowest and the highest. */
const extremes = [0, 1 - 2 ** -53]

/** Returns the attributes of a roll by which everyone gets the old value, if a rotation made the roll (docs/rotation.md). */
export function heldAttributes(attributes: Attributes): Attributes {
  if (!attributes.rotating) return attributes
  const { rules: _rules, pinned: _pinned, ...others } = attributes
  return { ...others, chance: 0 }
}

/**
 * Chooses a value that is the same for each equal request. Returns undefined if the request has neither seed nor key and the choice
 * depends on them; a secret that is being rotated has its old value then.
 */
export function chooseStably(
  variable: Pick<StoredVariable, 'name' | 'kind' | 'attributes'>,
  roll: RollRequest,
  dice: Dice,
  pinned?: Side,
): Choice | undefined {
  if (!isRandom(roll)) return choose(variable, roll, dice, pinned)
  const [low, high] = extremes.map((unit) => choose(variable, roll, { ...dice, random: () => unit }))
  if (low?.index === high?.index) return low
  const { name, kind, attributes } = variable
  return attributes.rotating && choose({ name, kind, attributes: heldAttributes(attributes) }, roll, dice)
}

const noDice: Dice = { unitOf: () => 0, random: () => 0 }

/** Chooses a value for a request that cannot name who asks. Returns undefined if the choice depends on that, or on chance. */
export function chooseForAnyone(variable: Pick<StoredVariable, 'name' | 'kind' | 'attributes'>): Choice | undefined {
  return chooseStably(variable, {}, noDice)
}
