/** A change of one stage: what it comes to is decided from the stage as it is, and decided anew if that moved meanwhile. */
import type { AuditAction } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Sealer } from '../../crypto/seal.ts'
import type { VariableState } from '../../storage/variables.ts'
import type { Stage } from '../stages.ts'

/** A variable's new state, once it is known what it is sealed with. */
export interface Put {
  readonly name: string
  readonly seal: (sealer: Sealer) => VariableState
}

export interface Effect {
  readonly puts: readonly Put[]
  /** Names that the stage has. */
  readonly deletes: readonly string[]
}

export interface Change {
  /** What the audit log calls it; a write is noted as what it did to variables. */
  readonly action: 'write' | Extract<AuditAction, 'chance' | 'copy' | 'restore'>
  /** Without puts and deletes nothing is written. `stage` undefined: there is none yet. Throws Fault. */
  readonly decide: (stage: Stage | undefined) => Effect | Promise<Effect>
}

/** Throws REVISION_CONFLICT. */
export function assertRevision(stage: Stage | undefined, asked: number | undefined): void {
  const revision = stage?.revision ?? 0
  if (asked === undefined || asked === revision) return
  throw new ApiError('REVISION_CONFLICT', `The stage is at revision ${revision}, not ${asked}.`)
}
