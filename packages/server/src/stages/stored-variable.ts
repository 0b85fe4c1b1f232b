import type { Attributes, DeclaredType, Kind } from '@rollkey/contract'
import type { Payloads } from './payloads.ts'

/** A variable of a stage in memory, with sealed values. */
export interface StoredVariable extends Payloads {
  readonly name: string
  readonly kind: Kind
  readonly declaredType: DeclaredType | undefined
  readonly attributes: Attributes
  /** Billed bytes. */
  readonly size: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Id of the user or service token. */
  readonly updatedBy: string
}
