import { isProductionByDefault, type DeclaredType, type Kind } from '@rollkey/contract'
import { first, type Reader, type Tx } from './sql.ts'

/** A variable of a stage. `facets` is the attributes as JSON text, `sealed` the packed payloads of the kind's roles. */
export interface VariableRow {
  readonly name: string
  readonly kind: Kind
  readonly declared_type: DeclaredType | null
  readonly facets: string
  readonly sealed: Uint8Array
  readonly created_at_ms: number
  readonly updated_at_ms: number
  readonly updated_by: string
}

interface StageHead {
  readonly project_id: string
  readonly stage_id: string
  readonly revision: number
}

export interface StageRows {
  readonly projectId: string
  readonly stageId: string
  readonly revision: number
  readonly variables: readonly VariableRow[]
}

/** Returns the stage with all its variables, read by one statement and thus at one revision. */
export async function stageBySlugs(
  sql: Reader,
  orgId: string,
  projectSlug: string,
  stageSlug: string,
): Promise<StageRows | undefined> {
  const rows = await sql.all<StageHead & (VariableRow | { readonly name: null })>(
    `select s.project_id, s.id as stage_id, s.revision, v.name, v.kind, v.declared_type, v.facets, v.sealed,
            v.created_at_ms, v.updated_at_ms, v.updated_by
     from projects p join stages s on s.project_id = p.id left join variables v on v.stage_id = s.id
     where p.org_id = $1 and p.slug = $2 and s.slug = $3 and s.deleted_at_ms is null`,
    orgId,
    projectSlug,
    stageSlug,
  )
  const [head] = rows
  if (!head) return undefined
  return {
    projectId: head.project_id,
    stageId: head.stage_id,
    revision: head.revision,
    variables: rows.filter((row) => row.name !== null),
  }
}

export function projectBySlug(sql: Reader, orgId: string, slug: string): Promise<{ id: string } | undefined> {
  return first(
    sql.all('select id from projects where org_id = $1 and slug = $2 and deleted_at_ms is null', orgId, slug),
  )
}

interface NewProject {
  readonly id: string
  readonly slug: string
  /** Display name. @default the slug */
  readonly name?: string | undefined
  readonly by: string
  readonly nowMs: number
}

const lastPosition = '(select coalesce(max(position), 0) + 1 from stages where project_id = $2)'

interface NewStage extends NewProject {
  /** The first revision. A deleted stage that is created again continues its revisions. @default 1 */
  readonly revision?: number
  /** Bytes of the sealed values that it is created with. @default 0 */
  readonly bytes?: number
  /** @default by its slug */
  readonly isProduction?: boolean | undefined
}

/** Inserts the project. Returns false if the organization already has a project with that slug. */
export async function insertProject(
  tx: Tx,
  orgId: string,
  { id, slug, name = slug, by, nowMs }: NewProject,
): Promise<boolean> {
  const rows = await tx.all(
    `insert into projects (id, org_id, slug, name, created_at_ms, created_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (org_id, slug) do nothing returning id`,
    id,
    orgId,
    slug,
    name,
    nowMs,
    by,
  )
  return rows.length === 1
}

/** Creates a deleted project again. Returns false if it is not a deleted one. */
export async function reviveProject(tx: Tx, { id, slug, name = slug, by, nowMs }: NewProject): Promise<boolean> {
  const rows = await tx.all(
    `update projects set name = $2, created_at_ms = $3, created_by = $4, archived_at_ms = null, deleted_at_ms = null
     where id = $1 and deleted_at_ms is not null returning id`,
    id,
    name,
    nowMs,
    by,
  )
  return rows.length === 1
}

/**
 * Inserts the stage at its first revision, as the last one of its project. Returns false if the project already has a stage with that
 * slug. The caller holds the lock of the project, so that no two stages get the same position.
 */
export async function insertStage(
  tx: Tx,
  projectId: string,
  { id, slug, name = slug, revision = 1, bytes = 0, isProduction = isProductionByDefault(slug), by, nowMs }: NewStage,
): Promise<boolean> {
  const rows = await tx.all(
    `insert into stages
       (id, project_id, slug, name, revision, created_at_ms, created_by, updated_at_ms, is_production, position,
        bytes, bytes_revision)
     values ($1, $2, $3, $4, $8, $5, $6, $5, $7, ${lastPosition}, $9, $8)
     on conflict do nothing returning id`,
    id,
    projectId,
    slug,
    name,
    nowMs,
    by,
    Number(isProduction),
    revision,
    bytes,
  )
  return rows.length === 1
}

/**
 * Creates a deleted stage again, at the revision after its deletion. Returns false if it is not a deleted stage at that
 * revision, or if not all of its former rows are deleted.
 */
export async function reviveStage(
  tx: Tx,
  projectId: string,
  { id, slug, name = slug, revision = 1, bytes = 0, isProduction = isProductionByDefault(slug), by, nowMs }: NewStage,
): Promise<boolean> {
  const rows = await tx.all(
    `update stages set name = $3, revision = $4, created_at_ms = $5, created_by = $6, updated_at_ms = $5,
       archived_at_ms = null, project_archived_at_ms = null, deleted_at_ms = null, is_production = $7,
       position = ${lastPosition}, bytes = $8, bytes_revision = $4
     where id = $1 and project_id = $2 and deleted_at_ms is not null and revision = $4 - 1
       and not exists (select 1 from variables v where v.stage_id = $1)
       and not exists (select 1 from variable_history h where h.stage_id = $1)
     returning id`,
    id,
    projectId,
    name,
    revision,
    nowMs,
    by,
    Number(isProduction),
    bytes,
  )
  return rows.length === 1
}

/**
 * Advances the stage's revision by a number of writes, after which its sealed values have `bytes`, if it is still `from` and neither the
 * stage nor its project is archived. Returns whether it did.
 */
export async function advanceRevision(
  tx: Tx,
  stageId: string,
  { from, by, bytes, nowMs }: { from: number; by: number; bytes: number; nowMs: number },
): Promise<boolean> {
  const rows = await tx.all(
    `update stages set revision = revision + cast($4 as bigint), updated_at_ms = $3, bytes = $5,
       bytes_revision = revision + cast($4 as bigint)
     where id = $1 and revision = $2 and archived_at_ms is null and project_archived_at_ms is null returning revision`,
    stageId,
    from,
    nowMs,
    by,
    bytes,
  )
  return rows.length === 1
}

interface StageIds {
  readonly orgId: string
  readonly projectId: string
  readonly stageId: string
}

/** Returns all stages of all organizations. */
export function everyStage(sql: Reader): Promise<StageIds[]> {
  return sql.all(
    `select p.org_id as "orgId", p.id as "projectId", s.id as "stageId"
     from stages s join projects p on p.id = s.project_id where s.deleted_at_ms is null order by s.id`,
  )
}

export interface StagePlace {
  readonly stage_id: string
  readonly project_slug: string
  readonly stage_slug: string
  readonly revision: number
  /** 0 or 1. */
  readonly is_production: number
  /** 1 if the stage or its project is archived, otherwise 0. */
  readonly is_archived: number
}

/** Returns all stages of an organization, archived or not. Those of one project are in its order. */
export function stagesOf(sql: Reader, orgId: string): Promise<StagePlace[]> {
  return sql.all(
    `select s.id as stage_id, p.slug as project_slug, s.slug as stage_slug, s.revision, s.is_production,
       case when p.archived_at_ms is null and s.archived_at_ms is null then 0 else 1 end as is_archived
     from projects p join stages s on s.project_id = p.id where p.org_id = $1 and s.deleted_at_ms is null
     order by s.position, s.created_at_ms, s.id`,
    orgId,
  )
}
