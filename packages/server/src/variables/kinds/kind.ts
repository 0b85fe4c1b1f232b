import type { WriteEntry } from '@rollkey/contract'
import type { Attributes } from '../../stages/stored-variable.ts'

/** The seed and key of a request. If both are empty or absent, the choice is random. */
export interface Roll {
  readonly seed?: string | undefined
  readonly key?: string | undefined
}

/** The source of random and seeded numbers. */
export interface Dice {
  /** Returns the same 0 <= u < 1 for the same name, seed and key. */
  readonly unitOf: (name: string, seed: string, key: string) => number
  /** Returns another random 0 <= u < 1 each time. */
  readonly random: () => number
}

export interface Choice {
  /** The index of the chosen value in `roles`. */
  readonly role: number
  readonly decision?: 'a' | 'b'
}

/** A kind of variable: how an entry becomes sealed payloads, and which payload an evaluation opens. */
export interface VariableKind<Entry extends WriteEntry = WriteEntry> {
  /** Names of the payloads in packing order. They are part of the associated data, so they must never be renamed. */
  readonly roles: readonly string[]
  /** Returns the plaintext of each role. */
  plaintexts(entry: Entry): string[]
  /** Returns the entry's fields that hold the plaintexts. It is the inverse of `plaintexts`. */
  stated(values: readonly string[]): Partial<Entry>
  attributes(entry: Entry): Attributes
  choose(name: string, attributes: Attributes, roll: Roll, dice: Dice): Choice
}
