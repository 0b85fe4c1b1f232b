/** Queries of projects and stages for the people who manage them. */
import { first, type Reader, type Tx } from './sql.ts'

export interface ProjectRow {
  readonly project_slug: string
  readonly project_name: string
  readonly project_created_at_ms: number
  readonly project_archived_at_ms: number | null
}

/** A stage with its project. */
export interface StageRow extends ProjectRow {
  readonly stage_id: string
  readonly stage_slug: string
  readonly stage_name: string
  readonly revision: number
  readonly created_at_ms: number
  readonly updated_at_ms: number
  readonly archived_at_ms: number | null
  /** 0 or 1. */
  readonly is_production: number
  /** 0 or 1. */
  readonly is_protected: number
  /** JSON; null if it requires nothing of changes. */
  readonly protection: string | null
}

/** A node of an older version gives new stages position 0, so the position may not be unique. */
const stageOrder = 's.position, s.created_at_ms, s.id'

/** Returns a row for each stage of an organization, in the order of its project, and one for each project without stages. */
export function projectsOf(
  sql: Reader,
  orgId: string,
): Promise<(StageRow | (ProjectRow & { readonly stage_slug: null }))[]> {
  return sql.all(
    `select p.slug as project_slug, p.name as project_name, p.created_at_ms as project_created_at_ms,
       p.archived_at_ms as project_archived_at_ms, s.id as stage_id, s.slug as stage_slug, s.name as stage_name, s.revision,
       s.created_at_ms, s.updated_at_ms,
       s.archived_at_ms, s.is_production, s.is_protected, s.protection
     from projects p left join stages s on s.project_id = p.id and s.deleted_at_ms is null
     where p.org_id = $1 and p.deleted_at_ms is null
     order by ${stageOrder}`,
    orgId,
  )
}

/** Changes of a project or stage. Archiving an archived one again keeps its time. */
interface ProjectOrStageChanges {
  readonly name?: string | undefined
  readonly archived?: boolean | undefined
  readonly nowMs: number
}

interface StageChanges extends ProjectOrStageChanges {
  readonly isProduction?: boolean | undefined
}

const changedColumns = `name = coalesce(cast($3 as text), name), archived_at_ms = case cast($4 as bigint)
  when 1 then coalesce(archived_at_ms, $5) when 0 then null else archived_at_ms end`

function paramsOf({ name, archived, nowMs }: ProjectOrStageChanges): [string | null, number | null, number] {
  return [name ?? null, archived === undefined ? null : Number(archived), nowMs]
}

/** Updates a project. Returns false if there is no such project. */
export async function updateProject(
  tx: Tx,
  orgId: string,
  slug: string,
  changes: ProjectOrStageChanges,
): Promise<boolean> {
  const row = await first(
    tx.all<{ id: string; archived_at_ms: number | null }>(
      `update projects set ${changedColumns} where org_id = $1 and slug = $2 and deleted_at_ms is null returning id, archived_at_ms`,
      orgId,
      slug,
      ...paramsOf(changes),
    ),
  )
  if (!row) return false
  if (changes.archived !== undefined) {
    await tx.all('update stages set project_archived_at_ms = $2 where project_id = $1', row.id, row.archived_at_ms)
  }
  return true
}

/** Updates a stage. Returns false if there is no such stage. */
export async function updateStage(tx: Tx, projectId: string, slug: string, changes: StageChanges): Promise<boolean> {
  const rows = await tx.all(
    `update stages set ${changedColumns}, is_production = coalesce(cast($6 as bigint), is_production)
     where project_id = $1 and slug = $2 and deleted_at_ms is null returning id`,
    projectId,
    slug,
    ...paramsOf(changes),
    changes.isProduction === undefined ? null : Number(changes.isProduction),
  )
  return rows.length === 1
}

/** Returns whether the stage is marked as production, which stays so until the transaction ends; undefined if there is none. */
export async function lockProductionMark(tx: Tx, projectId: string, slug: string): Promise<boolean | undefined> {
  const [row] = await tx.all<{ is_production: number }>(
    `update stages set name = name where project_id = $1 and slug = $2 and deleted_at_ms is null returning is_production`,
    projectId,
    slug,
  )
  return row && row.is_production === 1
}

export interface PlacedStage {
  readonly id: string
  readonly slug: string
}

/** Returns the stages of a project in their order. */
export function orderedStages(sql: Reader, projectId: string): Promise<PlacedStage[]> {
  return sql.all(
    `select s.id, s.slug from stages s where s.project_id = $1 and s.deleted_at_ms is null order by ${stageOrder}`,
    projectId,
  )
}

export async function setStagePosition(tx: Tx, stageId: string, position: number): Promise<void> {
  await tx.all('update stages set position = $2 where id = $1', stageId, position)
}

/** Returns whether the project is neither archived nor deleted. If so, it stays that way until the transaction ends. */
export async function lockOpenProject(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.all(
    `update projects set archived_at_ms = null
     where id = $1 and archived_at_ms is null and deleted_at_ms is null returning id`,
    id,
  )
  return rows.length === 1
}

/** Returns whether the project is archived. */
export async function isProjectArchived(sql: Reader, id: string): Promise<boolean> {
  const rows = await sql.all(
    'select id from projects where id = $1 and archived_at_ms is not null and deleted_at_ms is null',
    id,
  )
  return rows.length === 1
}

/** Locks the project until the transaction ends. Waits for transactions that are creating a stage of the project. */
export async function lockProject(tx: Tx, id: string): Promise<void> {
  await tx.all('update projects set name = name where id = $1', id)
}

/** Locks the stage until the transaction ends. Waits for a write of the stage that is under way. */
export async function lockStage(tx: Tx, id: string): Promise<void> {
  await tx.all('update stages set name = name where id = $1', id)
}

/** Returns whether the stage or its project is archived. */
export async function isArchived(sql: Reader, stageId: string): Promise<boolean> {
  const rows = await sql.all(
    'select id from stages where id = $1 and (archived_at_ms is not null or project_archived_at_ms is not null)',
    stageId,
  )
  return rows.length === 1
}
