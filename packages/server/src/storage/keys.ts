import { first, type Reader, type Tx } from './sql.ts'

/** A data key as it is stored: wrapped by the KMS that `kms` names. */
export interface DataKeyRow {
  /** 32 hex digits. Every blob that the key sealed contains these 16 bytes. */
  readonly id: string
  readonly kms: string
  readonly wrapped: Uint8Array
}

export interface ProjectKeyRow extends DataKeyRow {
  /** When the key was retired and stopped sealing; null if it still seals. */
  readonly retired_at_ms: number | null
}

/** Returns all data keys of the project, the oldest first and the current key last. */
export function dataKeysOfProject(sql: Reader, projectId: string): Promise<ProjectKeyRow[]> {
  return sql.all(
    `select id, kms, wrapped, retired_at_ms from data_keys where project_id = $1
     order by retired_at_ms is null, created_at_ms, id`,
    projectId,
  )
}

export function installationKey(sql: Reader): Promise<DataKeyRow | undefined> {
  return first(sql.all('select id, kms, wrapped from data_keys where project_id is null'))
}

/** Returns whether the key may seal. */
export async function isCurrentKey(sql: Reader, id: string): Promise<boolean> {
  return (await sql.all('select id from data_keys where id = $1 and retired_at_ms is null', id)).length === 1
}

/**
 * Inserts a data key; with `projectId` null, the key of the installation. The installation has one key, and each project
 * has one that is not retired. Returns false if that key exists already.
 */
export async function insertDataKey(
  tx: Tx,
  projectId: string | null,
  row: DataKeyRow,
  nowMs: number,
): Promise<boolean> {
  const rows = await tx.all(
    `insert into data_keys (id, project_id, kms, wrapped, created_at_ms) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning id`,
    row.id,
    projectId,
    row.kms,
    row.wrapped,
    nowMs,
  )
  return rows.length === 1
}

/** Retires the project's current key, if it was made before `madeBeforeMs`. */
export async function retireDataKey(tx: Tx, projectId: string, madeBeforeMs: number, nowMs: number): Promise<void> {
  await tx.all(
    `update data_keys set retired_at_ms = $3
     where project_id = $1 and retired_at_ms is null and created_at_ms < $2`,
    projectId,
    madeBeforeMs,
    nowMs,
  )
}

/** The selected projects: those of all organizations or one, and all of them or one. */
export interface KeyScope {
  readonly orgId?: string | undefined
  readonly projectSlug?: string | undefined
}

/** Condition on a project `p`. */
const inScope = '(cast($1 as text) is null or p.org_id = $1) and (cast($2 as text) is null or p.slug = $2)'

interface KeyedProjectRow {
  readonly orgId: string
  readonly orgSlug: string
  readonly projectId: string
  readonly projectSlug: string
  /** When the project's current key was made; null if it has none. */
  readonly madeAtMs: number | null
}

/** Returns each project with its current key, in the order of ids, which is the order of locking. */
export function keyedProjects(sql: Reader, { orgId, projectSlug }: KeyScope = {}): Promise<KeyedProjectRow[]> {
  return sql.all(
    `select p.org_id as "orgId", o.slug as "orgSlug", p.id as "projectId", p.slug as "projectSlug",
       k.created_at_ms as "madeAtMs"
     from projects p join organizations o on o.id = p.org_id
       left join data_keys k on k.project_id = p.id and k.retired_at_ms is null
     where ${inScope} and p.deleted_at_ms is null order by p.id`,
    orgId ?? null,
    projectSlug ?? null,
  )
}

export interface RetiredKeyRow {
  readonly id: string
  readonly projectId: string
  readonly orgId: string
  readonly retiredAtMs: number
}

export function retiredKeys(sql: Reader, { orgId, projectSlug }: KeyScope = {}): Promise<RetiredKeyRow[]> {
  return sql.all(
    `select k.id, p.id as "projectId", p.org_id as "orgId", k.retired_at_ms as "retiredAtMs"
     from data_keys k join projects p on p.id = k.project_id
     where k.retired_at_ms is not null and ${inScope} order by k.id`,
    orgId ?? null,
    projectSlug ?? null,
  )
}

export interface OwnedKeyRow extends DataKeyRow {
  /** Null, like `orgId`, for the key of the installation. */
  readonly projectId: string | null
  readonly orgId: string | null
}

/** Returns up to `limit` data keys that a KMS other than `kms` has wrapped. */
export function dataKeysOfOtherKms(sql: Reader, kms: string, limit: number): Promise<OwnedKeyRow[]> {
  return sql.all(
    `select k.id, k.project_id as "projectId", p.org_id as "orgId", k.kms, k.wrapped
     from data_keys k left join projects p on p.id = k.project_id where k.kms <> $1 order by k.id limit $2`,
    kms,
    limit,
  )
}

/** Replaces the key that `before` wrapped by a newly wrapped one. Returns false if the key was replaced in between. */
export async function rewrapDataKey(tx: Tx, before: string, { id, kms, wrapped }: DataKeyRow): Promise<boolean> {
  const rows = await tx.all(
    'update data_keys set kms = $3, wrapped = $4 where id = $1 and kms = $2 returning id',
    id,
    before,
    kms,
    wrapped,
  )
  return rows.length === 1
}

/** Counts the data keys that each KMS has wrapped. */
export function dataKeysByKms(sql: Reader): Promise<{ readonly kms: string; readonly keys: number }[]> {
  return sql.all('select kms, count(*) as keys from data_keys group by kms order by kms')
}
