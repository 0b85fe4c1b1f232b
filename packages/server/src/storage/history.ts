import type { DeclaredType, Kind } from '@rollkey/contract'
import { pickedRows } from './picked.ts'
import { first, type Reader, type Tx } from './sql.ts'

/** A variable's state; all null if it did not exist. `sealed` holds the packed payloads of the kind's roles. */
interface StateRow {
  readonly kind: Kind | null
  readonly declared_type: DeclaredType | null
  /** JSON text. */
  readonly facets: string | null
  readonly sealed: Uint8Array | null
}

/** The change that a revision made to one variable. */
export interface ChangeRow extends StateRow {
  readonly name: string
  readonly revision: number
  /** Null in rows from before changes were recorded. */
  readonly change: 'created' | 'updated' | 'deleted' | 'restored' | null
  readonly written_at_ms: number
  readonly written_by: string
  readonly client: string | null
  readonly before_kind: Kind | null
  readonly before_declared_type: DeclaredType | null
  readonly before_facets: string | null
  readonly before_sealed: Uint8Array | null
}

/** A filter of changes: of one variable if `name` is set, and of revisions before `before`. */
export interface HistoryFilter {
  readonly name?: string | undefined
  readonly before?: number | undefined
}

/**
 * Returns the latest changes of a stage, at least `least` if the history has that many, because revisions are returned
 * whole. The order is unspecified. The state before a change is null if it is older than the history.
 */
export function changesOf(
  sql: Reader,
  stageId: string,
  { name, before }: HistoryFilter,
  minChanges: number,
): Promise<ChangeRow[]> {
  return sql.all(
    `select h.name, h.revision, h.kind, h.declared_type, h.facets, h.sealed, h.change, h.written_at_ms, h.written_by,
       h.client, b.kind as before_kind, b.declared_type as before_declared_type, b.facets as before_facets,
       b.sealed as before_sealed
     from variable_history h left join variable_history b on b.stage_id = h.stage_id and b.name = h.name
       and b.revision = (select max(e.revision) from variable_history e
         where e.stage_id = h.stage_id and e.name = h.name and e.revision < h.revision)
     where h.stage_id = $1 and (cast($2 as text) is null or h.name = $2) and h.revision < $3
       and h.revision >= (select min(latest.revision) from (
         select revision from variable_history
         where stage_id = $1 and (cast($2 as text) is null or name = $2) and revision < $3
         order by revision desc limit $4) as latest)`,
    stageId,
    name ?? null,
    before ?? Number.MAX_SAFE_INTEGER,
    minChanges,
  )
}

/** What identifies a revision. */
export interface RevisionId {
  readonly stageId: string
  readonly revision: number
}

/** A change of a revision, without sealed values. The attributes are null where the variable did not exist. */
export interface FirstChangeRow extends Pick<ChangeRow, 'name' | 'revision' | 'change' | 'facets' | 'before_facets'> {
  readonly stage_id: string
}

/**
 * Returns up to `max` changes of each of up to `maxPicked` revisions: those of the first names in the order of the database. The
 * order of the rows is unspecified.
 */
export function firstChangesOf(sql: Reader, revisions: readonly RevisionId[], max: number): Promise<FirstChangeRow[]> {
  const rows = revisions.map(({ stageId, revision }) => [stageId, revision])
  const { text, params } = pickedRows({ stage_id: 'text', revision: 'bigint' }, rows)
  return sql.all(
    `${text}, numbered as (
       select h.stage_id, h.revision, h.name, h.change, h.facets,
         row_number() over (partition by h.stage_id, h.revision order by h.name) as place
       from picked cross join variable_history h where h.stage_id = picked.stage_id and h.revision = picked.revision)
     select stage_id, revision, name, change, facets, (select b.facets from variable_history b
         where b.stage_id = numbered.stage_id and b.name = numbered.name and b.revision < numbered.revision
         order by b.revision desc limit 1) as before_facets
     from numbered where place <= cast($${params.length + 1} as bigint)`,
    ...params,
    max,
  )
}

export interface PastVariableRow {
  readonly name: string
  readonly kind: Kind
  readonly declared_type: DeclaredType | null
  readonly facets: string
  readonly sealed: Uint8Array
}

/** Returns the variables of a stage at a revision, if the history reaches back to it (`historyFloor`). */
export function variablesAt(sql: Reader, stageId: string, revision: number): Promise<PastVariableRow[]> {
  return sql.all(
    `select h.name, h.kind, h.declared_type, h.facets, h.sealed from variable_history h
     where h.stage_id = $1 and h.sealed is not null
       and h.revision = (select max(e.revision) from variable_history e
         where e.stage_id = h.stage_id and e.name = h.name and e.revision <= $2)`,
    stageId,
    revision,
  )
}

/** Returns the earliest revision whose full state is known. Call it after reading that state. */
export async function historyFloor(sql: Reader, stageId: string): Promise<number> {
  const row = await first(
    sql.all<{ revision: number }>('select revision from history_floors where stage_id = $1', stageId),
  )
  return row?.revision ?? 1
}

interface LatestAttributes {
  readonly name: string
  /** JSON text. */
  readonly facets: string
}

/** Returns the attributes that each variable of a stage has, or had last, or only those of one variable. */
export function latestAttributes(sql: Reader, stageId: string, name: string | undefined): Promise<LatestAttributes[]> {
  return sql.all(
    `select h.name, h.facets from variable_history h
     where h.stage_id = $1 and (cast($2 as text) is null or h.name = $2) and h.facets is not null
       and h.revision = (select max(e.revision) from variable_history e
         where e.stage_id = h.stage_id and e.name = h.name and e.facets is not null)`,
    stageId,
    name ?? null,
  )
}

/** Returns the attributes of a variable with the times at which they were written, in no particular order. */
export function attributeHistory(
  sql: Reader,
  stageId: string,
  name: string,
): Promise<{ readonly facets: string | null; readonly written_at_ms: number; readonly revision: number }[]> {
  return sql.all(
    'select facets, written_at_ms, revision from variable_history where stage_id = $1 and name = $2',
    stageId,
    name,
  )
}

/** Returns the stages that were written between two times. */
export async function stagesWrittenBetween(sql: Reader, fromMs: number, beforeMs: number): Promise<string[]> {
  const rows = await sql.all<{ stage_id: string }>(
    'select distinct stage_id from variable_history where written_at_ms >= $1 and written_at_ms < $2',
    fromMs,
    beforeMs,
  )
  return rows.map((row) => row.stage_id)
}

/**
 * Deletes history of a stage that is not needed to show any time since `beforeMs`: states that another row replaced before then, and
 * deletions from before then. Records the first revision from which the full states are still known.
 */
export async function deleteHistoryBefore(tx: Tx, stageId: string, beforeMs: number): Promise<void> {
  await tx.all(
    `insert into history_floors (stage_id, revision)
     select h.stage_id, max(h.revision) from variable_history h
     where h.stage_id = $2 and h.written_at_ms < $1 and exists (
       select 1 from variable_history earlier
       where earlier.stage_id = h.stage_id and earlier.name = h.name and earlier.revision < h.revision
         and earlier.written_at_ms < $1)
     group by h.stage_id
     on conflict (stage_id) do update set revision = excluded.revision
       where excluded.revision > history_floors.revision`,
    beforeMs,
    stageId,
  )
  await tx.all(
    `delete from variable_history where stage_id = $2 and written_at_ms < $1 and (sealed is null or exists (
       select 1 from variable_history later
       where later.stage_id = variable_history.stage_id and later.name = variable_history.name
         and later.revision > variable_history.revision and later.written_at_ms < $1))`,
    beforeMs,
    stageId,
  )
}

interface SealedRow {
  readonly name: string
  readonly kind: Kind
  readonly sealed: Uint8Array
}

/** Returns the current states of the variables of a stage and all states in the history. */
export function sealedStates(sql: Reader, stageId: string): Promise<SealedRow[]> {
  return sql.all(
    `select name, kind, sealed from variables where stage_id = $1
     union all select name, kind, sealed from variable_history where stage_id = $1 and sealed is not null`,
    stageId,
  )
}
