import type { DeclaredType, Kind } from '@rollkey/contract'
import type { Tx } from './sql.ts'

export interface VariableState {
  readonly name: string
  readonly kind: Kind
  readonly declaredType: DeclaredType | null
  /** Attributes as JSON text, which may be shown without the value, such as a roll's chance. */
  readonly attributes: string
  readonly sealed: Uint8Array
}

export interface WriteContext {
  readonly stageId: string
  /** The revision that the write makes. */
  readonly revision: number
  readonly by: string
  /** Display name of the client that writes. */
  readonly client: string
  readonly nowMs: number
}

/** The kind of write that produced a variable's state. */
export type Origin = 'created' | 'updated' | 'restored'

/** Inserts or replaces the variable and adds the state to the history. The time of creation stays. */
export async function putVariable(tx: Tx, at: WriteContext, state: VariableState, origin: Origin): Promise<void> {
  const put = tx.all(
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
  await Promise.all([put, insertHistory(tx, at, state.name, origin, state)])
}

/** Deletes a variable that the caller knows to exist, and adds the deletion to the history. */
export async function deleteVariable(tx: Tx, at: WriteContext, name: string): Promise<void> {
  await Promise.all([
    tx.all('delete from variables where stage_id = $1 and name = $2', at.stageId, name),
    insertHistory(tx, at, name, 'deleted'),
  ])
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
