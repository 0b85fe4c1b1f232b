import type { Attributes, DeclaredType, Kind } from '@rollkey/contract'

/** A variable of a stage in memory, with sealed values. */
export interface StoredVariable {
  readonly name: string
  readonly kind: Kind
  readonly declaredType: DeclaredType | undefined
  readonly attributes: Attributes
  /** The sealed payload of each value of the kind. */
  readonly payloads: readonly Buffer[]
  /** Billed bytes. */
  readonly size: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Id of the user or service token. */
  readonly updatedBy: string
}
