/** A change of one stage. Its effect is decided from the current stage, and decided again if the stage moved in between. */
import type { AuditFacts } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Sealer } from '../../crypto/seal.ts'
import type { AuditEvent } from '../../storage/audit.ts'
import type { Tx } from '../../storage/sql.ts'
import type { VariableState, WriteContext } from '../../storage/variables.ts'
import type { Stage } from '../../stages/stages.ts'

/** The new state of a variable, sealed once the sealer is known. */
export interface Put {
  readonly name: string
  readonly seal: (sealer: Sealer) => VariableState
  /** Whether the values stay what they are, so that no declaration is asked about them. @default false */
  readonly keepsValues?: true | undefined
}

/** What a change does to the variables of a stage. */
export interface Effect {
  readonly puts: readonly Put[]
  /** Names of variables to delete. All of them exist in the stage. */
  readonly deletes: readonly string[]
}

/** The action in the audit log. A write is recorded as the creations, updates and deletions that it made instead. */
type RecordedAs =
  | { readonly action: 'write' | 'chance' | 'copy' }
  | { readonly action: 'restore'; readonly facts: AuditFacts<'restore'> }

export type Change = RecordedAs & {
  /** What of each variable changes, by name, of a write that states no values. A chance is recorded by itself, the others together. */
  readonly parts?: ReadonlyMap<string, readonly string[]>
  /** Decides the effect; an empty one writes nothing. `stage` is undefined if it does not exist yet. Throws ApiError. */
  readonly decide: (stage: Stage | undefined) => Effect | Promise<Effect>
  /** Id of the ramp whose step it is. A change of a chance pauses all other ramps of the roll. */
  readonly ramp?: string
  /**
   * Work in the transaction of the write, before it locks the stage: what must be true for the change to be written. Returns further
   * events for the audit log. Throws to write nothing.
   */
  readonly within?: (tx: Tx, at: WriteContext) => Promise<readonly AuditEvent[]>
}

/** Throws REVISION_CONFLICT if the stage is at another revision than the request expects. */
export function assertRevision(stage: Stage | undefined, expected: number | undefined): void {
  const revision = stage?.revision ?? 0
  if (expected === undefined || expected === revision) return
  throw new ApiError('REVISION_CONFLICT', `The stage is at revision ${revision}, not ${expected}.`)
}
