/**
 * Queries that delete stages, projects and organizations. A deleted row stays, marked: usage keeps its slug, and revisions continue if the
 * same slug is created again. A deletion is a revision of the stage, so a node that has an earlier one in memory notices.
 */
import { maxPicked } from './picked.ts'
import { first, type Reader, type Tx, type Value } from './sql.ts'

export interface DeletedStage {
  readonly id: string
  readonly slug: string
  /** The revision that the deletion made. */
  readonly revision: number
  /** Bytes of its sealed values; null if they were not kept at the revision before. */
  readonly bytes: number | null
}

const deletedColumns = 'id, slug, revision, case when bytes_revision = revision - 1 then bytes end as bytes'

const markStage = `update stages set deleted_at_ms = $2, updated_at_ms = $2, name = slug, is_protected = 0, protection = null, revision = revision + 1
  where deleted_at_ms is null and`

/** Marks a stage as deleted. Returns undefined if there is no such stage. */
export function markStageDeleted(
  tx: Tx,
  projectId: string,
  slug: string,
  nowMs: number,
): Promise<DeletedStage | undefined> {
  return first(tx.all(`${markStage} project_id = $1 and slug = $3 returning ${deletedColumns}`, projectId, nowMs, slug))
}

/** Marks a project as deleted and locks it. Returns undefined if there is no such project. */
export function markProjectDeleted(
  tx: Tx,
  orgId: string,
  slug: string,
  nowMs: number,
): Promise<{ readonly id: string } | undefined> {
  return first(
    tx.all(
      `update projects set deleted_at_ms = $3, name = slug
       where org_id = $1 and slug = $2 and deleted_at_ms is null returning id`,
      orgId,
      slug,
      nowMs,
    ),
  )
}

/** Marks an organization as deleted and locks it. Returns true for exactly one of many callers. */
export async function markOrganizationDeleted(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const rows = await tx.all(
    `update organizations set deleted_at_ms = $2, access_revision = access_revision + 1, default_role = 'developer'
     where id = $1 and deleted_at_ms is null returning id`,
    id,
    nowMs,
  )
  return rows.length === 1
}

/** Opens a deleted organization again, without its former content. Returns false if it is not a deleted one. */
export async function reopenOrganization(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.all(
    'update organizations set deleted_at_ms = null where id = $1 and deleted_at_ms is not null returning id',
    id,
  )
  return rows.length === 1
}

/** Returns the ids at the provider of the deleted organizations, a page at a time: those after an id. */
export async function deletedOrganizations(sql: Reader, after: string, limit: number): Promise<string[]> {
  const rows = await sql.all<{ idp_org_id: string }>(
    'select idp_org_id from organizations where deleted_at_ms is not null and idp_org_id > $1 order by idp_org_id limit $2',
    after,
    limit,
  )
  return rows.map(({ idp_org_id: id }) => id)
}

/** Returns whether an organization with this slug was deleted. */
export async function wasDeleted(sql: Reader, slug: string): Promise<boolean> {
  const rows = await sql.all('select id from organizations where slug = $1 and deleted_at_ms is not null', slug)
  return rows.length > 0
}

/** Marks all projects of an organization as deleted and locks them. */
export function markProjectsDeleted(
  tx: Tx,
  orgId: string,
  nowMs: number,
): Promise<{ readonly id: string; readonly slug: string }[]> {
  return tx.all(
    'update projects set deleted_at_ms = $2, name = slug where org_id = $1 and deleted_at_ms is null returning id, slug',
    orgId,
    nowMs,
  )
}

/** Marks all stages of a project as deleted. */
export function markStagesDeleted(tx: Tx, projectId: string, nowMs: number): Promise<DeletedStage[]> {
  return tx.all(`${markStage} project_id = $1 returning ${deletedColumns}`, projectId, nowMs)
}

/** Returns the bytes of the sealed values of a stage. */
export async function storedBytesOf(sql: Reader, stageId: string): Promise<number> {
  const [row] = await sql.all<{ bytes: number }>(
    'select cast(coalesce(sum(length(sealed)), 0) as bigint) as bytes from variables where stage_id = $1',
    stageId,
  )
  return row?.bytes ?? 0
}

/** Ends the history of a deleted stage: nothing before its deletion can be read again. */
export async function endHistory(tx: Tx, { id, revision }: Pick<DeletedStage, 'id' | 'revision'>): Promise<void> {
  await tx.all(
    `insert into history_floors (stage_id, revision) values ($1, $2)
     on conflict (stage_id) do update set revision = excluded.revision`,
    id,
    revision,
  )
}

/** Deletes the data keys of a project. What they sealed can never be opened again. */
export async function deleteDataKeys(tx: Tx, projectId: string): Promise<void> {
  await tx.all('delete from data_keys where project_id = $1', projectId)
}

/** Returns the deleted project with this slug, which a new one continues. */
export function deletedProject(sql: Reader, orgId: string, slug: string): Promise<{ readonly id: string } | undefined> {
  return first(
    sql.all('select id from projects where org_id = $1 and slug = $2 and deleted_at_ms is not null', orgId, slug),
  )
}

/** Returns the deleted stage with this slug, whose revisions a new one continues. */
export function deletedStage(
  sql: Reader,
  projectId: string,
  slug: string,
): Promise<{ readonly id: string; readonly revision: number } | undefined> {
  return first(
    sql.all(
      'select id, revision from stages where project_id = $1 and slug = $2 and deleted_at_ms is not null',
      projectId,
      slug,
    ),
  )
}

/** Tables with rows of a stage, and what identifies a row within it. */
const contents = {
  change_values: ['name', 'change_id'],
  variables: ['name'],
  variable_history: ['name', 'revision'],
  roll_counts: ['name', 'hour_ms'],
  roll_days: ['name', 'day_ms'],
  last_evaluations: ['name'],
} as const

type Table = keyof typeof contents

export const contentTables = Object.keys(contents) as Table[]

/** Returns up to `maxPicked` deleted stages after an id, and whether rows of each are left. */
export function deletedStages(
  sql: Reader,
  after: string,
): Promise<{ readonly id: string; readonly has_rows: number }[]> {
  const hasRows = contentTables.map((table) => `exists (select 1 from ${table} t where t.stage_id = s.id)`)
  return sql.all(
    `select s.id, case when ${hasRows.join(' or ')} then 1 else 0 end as has_rows
     from stages s where s.deleted_at_ms is not null and s.id > $1 order by s.id limit ${maxPicked}`,
    after,
  )
}

/**
 * Deletes up to `limit` rows of each table of a deleted stage. Returns whether there may be more. Locks the stage, so that it is
 * not created again in between.
 */
export async function deleteSomeOfStage(tx: Tx, stageId: string, limit: number): Promise<boolean> {
  const locked = await tx.all(
    'update stages set name = name where id = $1 and deleted_at_ms is not null returning id',
    stageId,
  )
  if (locked.length === 0) return false
  let hasMore = false
  for (const table of contentTables) hasMore = (await deleteFirst(tx, table, stageId, limit)) || hasMore
  return hasMore
}

/**
 * Deletes the first rows of a stage in a table, up to the one at `limit`, and returns whether there may be more. It asks for that row on
 * its own: a subquery with a limit is run again for every row where PostgreSQL expects few of them.
 */
async function deleteFirst(tx: Tx, table: Table, stageId: string, limit: number): Promise<boolean> {
  const columns = contents[table]
  const [last] = await tx.all<Record<string, Value>>(
    `select ${columns.join(', ')} from ${table} where stage_id = $1 order by ${columns.join(', ')} limit 1 offset $2`,
    stageId,
    limit - 1,
  )
  if (last === undefined) {
    await tx.all(`delete from ${table} where stage_id = $1`, stageId)
    return false
  }
  await tx.all(
    `delete from ${table} where stage_id = $1 and (${columns.join(', ')}) <= (${columns.map((_, index) => `$${index + 2}`).join(', ')})`,
    stageId,
    ...columns.map((column) => last[column] ?? null),
  )
  return true
}
