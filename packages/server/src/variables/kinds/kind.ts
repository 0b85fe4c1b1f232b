import type { DeclaredType, WriteEntry } from '@rollkey/contract'

/** What everybody may see of a variable beside name, kind and declared type. */
export interface Attributes {
  /** Probability of value A. */
  readonly chance?: number
}

/** Seed and key of a request; empty or absent both: the choice is random. */
export interface Roll {
  readonly seed?: string | undefined
  readonly key?: string | undefined
}

/** Where chance comes from. */
export interface Dice {
  /** The same 0 <= u < 1 for the same name, seed and key. */
  readonly unitOf: (name: string, seed: string, key: string) => number
  /** 0 <= u < 1, anew each time. */
  readonly random: () => number
}

export interface Choice {
  /** Index into `roles`. */
  readonly role: number
  readonly decision?: 'a' | 'b'
}

/** One kind of variable: how an entry becomes sealed payloads, and which of them an evaluation opens. */
export interface VariableKind<Entry extends WriteEntry = WriteEntry> {
  /** Names of the payloads, in the order in which they are packed; part of the AAD, so never renamed. */
  readonly roles: readonly string[]
  /** The plaintext of each role. */
  plaintexts(entry: Entry): string[]
  /** The inverse: the entry's fields that hold the plaintexts. */
  stated(values: readonly string[]): Partial<Entry>
  attributes(entry: Entry): Attributes
  choose(name: string, facets: Attributes, roll: Roll, dice: Dice): Choice
}

/** A variable of a stage as it is kept in memory: sealed. */
export interface StoredVariable {
  readonly name: string
  readonly kind: WriteEntry['kind']
  readonly declaredType: DeclaredType | undefined
  readonly attributes: Attributes
  /** One blob per role. */
  readonly payloads: readonly Buffer[]
  /** Billed bytes. */
  readonly size: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}
