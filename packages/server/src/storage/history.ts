import type { DeclaredType, Kind } from '@rollkey/contract'
import { maxPicked, pickedRows, readInPages } from './picked.ts'
import { first, type Reader, type Tx } from './sql.ts'

/** A variable's state; all null if it did not exist. `sealed` holds the packed payloads of the kind's roles. */
interface StateRow {
  readonly kind: Kind | null
  readonly declared_type: DeclaredType | null
  /** JSON text. */
  readonly facets: string | null
  readonly sealed: Uint8Array | null
}

/** The state that a revision gave to one variable. */
interface WrittenRow extends StateRow {
  readonly name: string
  readonly revision: number
  /** Null in rows from before changes were recorded. */
  readonly change: 'created' | 'updated' | 'deleted' | 'restored' | null
  readonly written_at_ms: number
  readonly written_by: string
  readonly client: string | null
}

/** The state that a change replaced. */
interface StateBefore extends Pick<WrittenRow, 'name' | 'revision'> {
  readonly before_kind: Kind | null
  readonly before_declared_type: DeclaredType | null
  readonly before_facets: string | null
  readonly before_sealed: Uint8Array | null
}

/** The change that a revision made to one variable. */
export interface ChangeRow extends WrittenRow, StateBefore {}

/** A filter of changes: of one variable if `name` is set, and of revisions before `before`. */
export interface HistoryFilter {
  readonly name?: string | undefined
  readonly before?: number | undefined
}

/**
 * Returns the latest changes of a stage, at least `minChanges` if the history has that many, because revisions are returned
 * whole. The order is unspecified. The state before a change is null if it is older than the history.
 */
export async function changesOf(
  sql: Reader,
  stageId: string,
  { name, before }: HistoryFilter,
  minChanges: number,
): Promise<ChangeRow[]> {
  const ofName = name === undefined ? '' : 'and name = $4'
  const rows = await sql.all<WrittenRow>(
    `select name, revision, kind, declared_type, facets, sealed, change, written_at_ms, written_by, client
     from variable_history where stage_id = $1 ${ofName} and revision < $2
       and revision >= (select min(latest.revision) from (
         select revision from variable_history where stage_id = $1 ${ofName} and revision < $2
         order by revision desc limit $3) as latest)`,
    stageId,
    before ?? Number.MAX_SAFE_INTEGER,
    minChanges,
    ...(name === undefined ? [] : [name]),
  )
  const earlier = await readInPages(rows, (page) => statesBefore(sql, stageId, page))
  const byChange = new Map(earlier.map((state) => [`${state.revision} ${state.name}`, state]))
  return rows.map((row) => ({ ...row, ...(byChange.get(`${row.revision} ${row.name}`) ?? noStateBefore) }))
}

const noStateBefore = { before_kind: null, before_declared_type: null, before_facets: null, before_sealed: null }

/** Returns the states that up to `maxPicked` changes replaced. */
function statesBefore(sql: Reader, stageId: string, changes: readonly WrittenRow[]): Promise<StateBefore[]> {
  const rows = changes.map(({ name, revision }) => [name, revision])
  const { text, params } = pickedRows({ name: 'text', revision: 'bigint' }, rows)
  const stage = `$${params.length + 1}`
  return sql.all(
    `${text} select picked.name, picked.revision, b.kind as before_kind, b.declared_type as before_declared_type,
       b.facets as before_facets, b.sealed as before_sealed
     from picked cross join variable_history b where b.stage_id = ${stage} and b.name = picked.name
       and b.revision = (select max(e.revision) from variable_history e
         where e.stage_id = ${stage} and e.name = picked.name and e.revision < picked.revision)`,
    ...params,
    stageId,
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
  /** How many variables the revision changed. */
  readonly total: number
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
         row_number() over (partition by h.stage_id, h.revision order by h.name) as place,
         count(*) over (partition by h.stage_id, h.revision) as total
       from picked cross join variable_history h where h.stage_id = picked.stage_id and h.revision = picked.revision)
     select stage_id, revision, name, change, facets, total, (select b.facets from variable_history b
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

/** Returns up to `maxPicked` names of the history of a stage after a name, in the order of the database, however many states they have. */
export async function namesInHistory(sql: Reader, stageId: string, after: string): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    `with recursive names (name) as (
       select min(name) from variable_history where stage_id = $1 and name > $2
       union all
       select (select min(h.name) from variable_history h where h.stage_id = $1 and h.name > names.name)
       from names where names.name is not null)
     select name from names where name is not null limit ${maxPicked}`,
    stageId,
    after,
  )
  return rows.map(({ name }) => name)
}

/** Returns up to `maxPicked` variables of a stage at a revision, if they existed and the history reaches back to it (`historyFloor`). */
export function variablesAt(
  sql: Reader,
  stageId: string,
  revision: number,
  names: readonly string[],
): Promise<PastVariableRow[]> {
  const { text, params } = pickedNames(names)
  return sql.all(
    `${text} select h.name, h.kind, h.declared_type, h.facets, h.sealed from picked cross join variable_history h
     where h.stage_id = $${params.length + 1} and h.name = picked.name and h.sealed is not null
       and h.revision = (select max(e.revision) from variable_history e
         where e.stage_id = $${params.length + 1} and e.name = picked.name and e.revision <= $${params.length + 2})`,
    ...params,
    stageId,
    revision,
  )
}

function pickedNames(names: readonly string[]): ReturnType<typeof pickedRows> {
  return pickedRows(
    { name: 'text' },
    names.map((name) => [name]),
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

/** Returns the attributes that up to `maxPicked` variables of a stage have, or had last. */
export function latestAttributes(sql: Reader, stageId: string, names: readonly string[]): Promise<LatestAttributes[]> {
  const { text, params } = pickedNames(names)
  return sql.all(
    `${text} select h.name, h.facets from picked cross join variable_history h
     where h.stage_id = $${params.length + 1} and h.name = picked.name
       and h.revision = (select e.revision from variable_history e
         where e.stage_id = $${params.length + 1} and e.name = picked.name and e.facets is not null
         order by e.revision desc limit 1)`,
    ...params,
    stageId,
  )
}

/** Returns the attributes that up to `maxPicked` variables of a stage had as templates, in the kept history. */
export function templateHistory(sql: Reader, stageId: string, names: readonly string[]): Promise<LatestAttributes[]> {
  const { text, params } = pickedNames(names)
  return sql.all(
    `${text} select distinct h.name, h.facets from picked cross join variable_history h
     where h.stage_id = $${params.length + 1} and h.name = picked.name and h.facets like '%"sources":%'`,
    ...params,
    stageId,
  )
}

/** The attributes of a variable at a time; null if it did not exist. */
export interface AttributesRow {
  /** JSON text. */
  readonly facets: string | null
  readonly written_at_ms: number
  readonly revision: number
}

/** Returns up to `max` states of the attributes of a variable before a revision, the newest first. */
export function attributeHistory(
  sql: Reader,
  stageId: string,
  name: string,
  { before = Number.MAX_SAFE_INTEGER, max }: { readonly before?: number | undefined; readonly max: number },
): Promise<AttributesRow[]> {
  return sql.all(
    `select facets, written_at_ms, revision from variable_history
     where stage_id = $1 and name = $2 and revision < $3 order by revision desc limit $4`,
    stageId,
    name,
    before,
    max,
  )
}

/** The place of a row of the history among all in the order of their times. */
export interface HistoryPosition {
  readonly written_at_ms: number
  readonly stage_id: string
  readonly name: string
  readonly revision: number
}

/** A row of the history with its neighbors of the same variable, where they were written before a time. */
interface OldRow extends HistoryPosition {
  readonly is_deletion: number
  readonly earlier: number | null
  readonly later: number | null
}

/** Returns the next rows that were written before a time. */
function rowsBefore(tx: Tx, beforeMs: number, after: HistoryPosition): Promise<OldRow[]> {
  return tx.all(
    `select h.written_at_ms, h.stage_id, h.name, h.revision, h.is_deletion, e.revision as earlier, l.revision as later
     from (select written_at_ms, stage_id, name, revision, case when sealed is null then 1 else 0 end as is_deletion
           from variable_history
           where written_at_ms < $1 and (written_at_ms, stage_id, name, revision) > ($2, $3, $4, $5)
           order by written_at_ms, stage_id, name, revision limit ${maxPicked}) h
       left join variable_history e on e.stage_id = h.stage_id and e.name = h.name and e.written_at_ms < $1
         and e.revision = (select max(n.revision) from variable_history n
           where n.stage_id = h.stage_id and n.name = h.name and n.revision < h.revision)
       left join variable_history l on l.stage_id = h.stage_id and l.name = h.name and l.written_at_ms < $1
         and l.revision = (select min(n.revision) from variable_history n
           where n.stage_id = h.stage_id and n.name = h.name and n.revision > h.revision)
     order by h.written_at_ms, h.stage_id, h.name, h.revision`,
    beforeMs,
    after.written_at_ms,
    after.stage_id,
    after.name,
    after.revision,
  )
}

/**
 * Looks at the next rows of the history that were written before a time, and deletes what is not needed to show any time since then:
 * states that another row replaced before it, and deletions. Records the first revision from which the full states are still known.
 * Returns the last row; undefined if no more follow.
 */
export async function deleteSomeHistory(
  tx: Tx,
  beforeMs: number,
  after: HistoryPosition,
): Promise<HistoryPosition | undefined> {
  const rows = await rowsBefore(tx, beforeMs, after)
  const floors = new Map<string, number>()
  const ended: [stageId: string, name: string, revision: number][] = []
  for (const { stage_id: stageId, name, revision, is_deletion: isDeletion, earlier, later } of rows) {
    const floor = later ?? (earlier === null ? 0 : revision)
    if (floor > (floors.get(stageId) ?? 0)) floors.set(stageId, floor)
    if (earlier !== null) ended.push([stageId, name, earlier])
    if (isDeletion || later !== null) ended.push([stageId, name, revision])
  }
  if (floors.size > 0) await raiseFloors(tx, [...floors])
  for (let at = 0; at < ended.length; at += maxPicked) {
    const { text, params } = pickedRows(
      { stage_id: 'text', name: 'text', revision: 'bigint' },
      ended.slice(at, at + maxPicked),
    )
    await tx.all(
      `${text} delete from variable_history
       where (stage_id, name, revision) in (select stage_id, name, revision from picked)`,
      ...params,
    )
  }
  return rows.length < maxPicked ? undefined : rows.at(-1)
}

async function raiseFloors(tx: Tx, floors: readonly (readonly [stageId: string, revision: number])[]): Promise<void> {
  const { text, params } = pickedRows({ stage_id: 'text', revision: 'bigint' }, floors)
  await tx.all(
    `${text} insert into history_floors (stage_id, revision) select stage_id, revision from picked where stage_id <> ''
     on conflict (stage_id) do update set revision = excluded.revision
       where excluded.revision > history_floors.revision`,
    ...params,
  )
}

/** A revision of a stage or of one of its variables. */
export interface RevisionRow {
  readonly revision: number
  readonly written_at_ms: number
}

/** Returns up to `max` revisions of a stage, or of one variable in it, up to a revision, the newest first. */
export function revisionsOf(
  sql: Reader,
  stageId: string,
  { name, upTo }: { readonly name?: string | undefined; readonly upTo: number },
  max: number,
): Promise<RevisionRow[]> {
  return sql.all(
    `select revision, max(written_at_ms) as written_at_ms from variable_history
     where stage_id = $1 and revision <= $2 ${name === undefined ? '' : 'and name = $4'}
     group by revision order by revision desc limit $3`,
    stageId,
    upTo,
    max,
    ...(name === undefined ? [] : [name]),
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
