import type { DeclaredType, WriteEntry } from '@rollkey/contract'

/** What a variable shows without its value, in addition to name, kind and declared type. */
export interface Attributes {
  /** Probability of value A. */
  readonly chance?: number
}

/** A variable of a stage in memory, with sealed values. */
export interface StoredVariable {
  readonly name: string
  readonly kind: WriteEntry['kind']
  readonly declaredType: DeclaredType | undefined
  readonly attributes: Attributes
  /** The sealed payload of each role. */
  readonly payloads: readonly Buffer[]
  /** Billed bytes. */
  readonly size: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}
