import type { DeclaredType, Kind } from '@rollkey/contract'
import type { Tx } from './sql.ts'

export interface VariableState {
  readonly name: string
  readonly kind: Kind
  readonly declaredType: DeclaredType | null
  /** JSON text that may be shown without a value, such as a roll's chance. */
  readonly attributes: string
  readonly sealed: Uint8Array
}

export interface WriteContext {
  readonly stageId: string
  /** The revision that the write makes. */
  readonly revision: number
  readonly by: string
  /** What it is done with, for people. */
  readonly client: string
  readonly nowMs: number
}

/** How a variable came to its state. */
export type Origin = 'created' | 'updated' | 'restored'

/** Inserts or replaces the variable; the time of creation stays. Keeps the state as history. */
export async function putVariable(tx: Tx, at: WriteContext, state: VariableState, origin: Origin): Promise<void> {
  await tx.all(
    `insert into variables
       (stage_id, name, kind, declared_type, facets, sealed, created_at_ms, updated_at_ms, updated_by)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $8)
     on conflict (stage_id, name) do update set kind = excluded.kind, declared_type = excluded.declared_type,
       facets = excluded.facets, sealed = excluded.sealed, updated_at_ms = excluded.updated_at_ms,
       updated_by = excluded.updated_by`,
    at.stageId,
    state.name,
    state.kind,
    state.declaredType,
    state.attributes,
    state.sealed,
    at.nowMs,
    at.by,
  )
  await insertHistory(tx, at, state.name, origin, state)
}

/** Deletes the variable, which the caller knows to be there, and keeps the deletion as history. */
export async function deleteVariable(tx: Tx, at: WriteContext, name: string): Promise<void> {
  await tx.all('delete from variables where stage_id = $1 and name = $2', at.stageId, name)
  await insertHistory(tx, at, name, 'deleted')
}

async function insertHistory(
  tx: Tx,
  at: WriteContext,
  name: string,
  change: Origin | 'deleted',
  state?: VariableState,
): Promise<void> {
  await tx.all(
    `insert into variable_history
       (stage_id, name, revision, kind, declared_type, facets, sealed, written_at_ms, written_by, change, client)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    at.stageId,
    name,
    at.revision,
    state?.kind ?? null,
    state?.declaredType ?? null,
    state?.attributes ?? null,
    state?.sealed ?? null,
    at.nowMs,
    at.by,
    change,
    at.client,
  )
}
