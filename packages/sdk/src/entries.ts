/** Evaluated variables by stage, name and roll. Evicts the least recently used one first. */
import { isRandom, isRolled } from '@rollkey/contract/rules'
import { RollkeyError } from './errors.ts'
import type { Lookup } from './inspection.ts'
import type { EvaluatedVariable } from './wire.ts'
import type { AskedRoll } from './roll.ts'
import type { StageRef } from './types.ts'

/** A cached evaluation. */
export interface Entry {
  /** The value, or the error that says that there is no such variable, which is cached too. */
  readonly outcome: EvaluatedVariable | RollkeyError
  /** The revision seen before the evaluation began, so never newer than the outcome. Undefined if none was seen. */
  readonly revision: number | undefined
  /** When the evaluation began. Unix time in milliseconds. */
  readonly atMs: number
}

/** Returns a cached value. Throws the outcome if it is an error. */
export function foundOf({ outcome }: Entry, source: Lookup['source']): Lookup {
  if (outcome instanceof RollkeyError) throw outcome
  return { evaluated: outcome, source }
}

/** The roll under which outcomes that do not depend on a roll are kept: secrets, and missing variables. */
const noRoll: AskedRoll = {}

function keyOf({ org, project, stage }: StageRef, name: string, roll: AskedRoll): string {
  const { seed = '', key = '', context = {}, explain = false } = roll
  const more = [...(Object.keys(context).length === 0 ? [] : [context]), ...(explain ? [explain] : [])]
  return JSON.stringify([org, project, stage, name, seed, key, ...more])
}

export class Entries {
  readonly #max: number
  /** Entries in the order of use, the least recently used first. */
  readonly #byKey = new Map<string, Entry>()

  constructor(max: number) {
    this.#max = max
  }

  find(stageRef: StageRef, name: string, roll: AskedRoll): Entry | undefined {
    return this.#use(keyOf(stageRef, name, noRoll)) ?? this.#use(keyOf(stageRef, name, roll))
  }

  put(stageRef: StageRef, name: string, roll: AskedRoll, entry: Entry): void {
    const varies = !(entry.outcome instanceof RollkeyError) && isRolled(entry.outcome.kind)
    if (varies) this.#byKey.delete(keyOf(stageRef, name, noRoll))
    // Random rolls are never cached.
    if (!varies || !isRandom(roll)) this.set(keyOf(stageRef, name, varies ? roll : noRoll), entry)
  }

  set(key: string, entry: Entry): void {
    this.#byKey.delete(key)
    this.#byKey.set(key, entry)
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= this.#max) break
      this.#byKey.delete(oldest)
    }
  }

  forget({ org, project, stage }: StageRef): void {
    const prefix = JSON.stringify([org, project, stage]).replace(/]$/, ',')
    for (const key of this.#byKey.keys()) if (key.startsWith(prefix)) this.#byKey.delete(key)
  }

  /** Returns all entries, the least recently used first. */
  all(): Iterable<[key: string, entry: Entry]> {
    return this.#byKey
  }

  #use(key: string): Entry | undefined {
    const entry = this.#byKey.get(key)
    if (entry) this.set(key, entry)
    return entry
  }
}
