/** Evaluated variables by place, name and roll; those that were not used for longest go first. */
import { RollkeyError } from './errors.ts'
import type { Evaluated, Lookup } from './inspection.ts'
import { isRandom } from './roll.ts'
import type { StageRef, Roll } from './types.ts'

export interface Entry {
  /** That there is no such variable is known like a value. */
  readonly outcome: Evaluated | RollkeyError
  /** One seen before the evaluation began, so never newer than the outcome; undefined: none was. */
  readonly revision: number | undefined
  /** When the evaluation began; Unix time in milliseconds. */
  readonly atMs: number
}

/** Throws what the outcome is if it is an error. */
export function foundOf({ outcome }: Entry, source: Lookup['source']): Lookup {
  if (outcome instanceof RollkeyError) throw outcome
  return { evaluated: outcome, source }
}

/** Of what a roll does not decide: a secret, or that there is nothing. */
const noRoll: Roll = {}

function keyOf({ org, project, stage }: StageRef, name: string, { seed = '', key = '' }: Roll): string {
  return JSON.stringify([org, project, stage, name, seed, key])
}

export class Entries {
  readonly #most: number
  /** In the order of use. */
  readonly #byKey = new Map<string, Entry>()

  constructor(most: number) {
    this.#most = most
  }

  find(place: StageRef, name: string, roll: Roll): Entry | undefined {
    return this.#use(keyOf(place, name, noRoll)) ?? this.#use(keyOf(place, name, roll))
  }

  put(place: StageRef, name: string, roll: Roll, entry: Entry): void {
    const isRolled = !(entry.outcome instanceof RollkeyError) && entry.outcome.kind === 'ab_roll'
    if (isRolled) this.#byKey.delete(keyOf(place, name, noRoll))
    // Random rolls are never kept.
    if (!isRolled || !isRandom(roll)) this.set(keyOf(place, name, isRolled ? roll : noRoll), entry)
  }

  set(key: string, entry: Entry): void {
    this.#byKey.delete(key)
    this.#byKey.set(key, entry)
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= this.#most) break
      this.#byKey.delete(oldest)
    }
  }

  forget({ org, project, stage }: StageRef): void {
    const prefix = JSON.stringify([org, project, stage]).replace(/]$/, ',')
    for (const key of this.#byKey.keys()) if (key.startsWith(prefix)) this.#byKey.delete(key)
  }

  /** Least recently used first. */
  all(): Iterable<[key: string, entry: Entry]> {
    return this.#byKey
  }

  #use(key: string): Entry | undefined {
    const entry = this.#byKey.get(key)
    if (entry) this.set(key, entry)
    return entry
  }
}
