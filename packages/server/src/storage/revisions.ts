/** Queries of the current revisions of stages, and of the variables that revisions changed. */
import type { Reader } from './sql.ts'

export interface StageHeadRow {
  readonly project_id: string
  readonly stage_id: string
  readonly stage_slug: string
  readonly revision: number
  /** When it became that revision. */
  readonly updated_at_ms: number
  /** When the stage was deleted, which is its last revision. */
  readonly deleted_at_ms: number | null
  /** Number of moves of its proposed changes. */
  readonly changes_moved: number
}

/**
 * Returns the end of the audit log of each of one or more organizations that has entries, by organization. A transaction that changes what
 * `stageHeads` returns of a project also appends to the log of its organization.
 */
export async function logEnds(sql: Reader, orgIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { list, params } = listOf(orgIds)
  const rows = await sql.all<{ org_id: string; chain: string }>(
    `select org_id, chain from audit_heads where org_id in (${list})`,
    ...params,
  )
  return new Map(rows.map(({ org_id: orgId, chain }) => [orgId, chain]))
}

/** Returns all stages of one or more projects, also the deleted ones. */
export function stageHeads(sql: Reader, projectIds: readonly string[]): Promise<StageHeadRow[]> {
  const { list, params } = listOf(projectIds)
  return sql.all(
    `select project_id, id as stage_id, slug as stage_slug, revision, updated_at_ms, deleted_at_ms, changes_moved from stages
     where project_id in (${list})`,
    ...params,
  )
}

/** Pads the list to a power of two: each number of parameters makes a different text, which has to be prepared. */
function listOf(ids: readonly string[]): { readonly list: string; readonly params: readonly string[] } {
  const count = 2 ** Math.ceil(Math.log2(ids.length))
  const params = Array.from({ length: count }, (_, index) => ids[index % ids.length] as string)
  return { list: params.map((_, index) => `$${index + 1}`).join(', '), params }
}

export interface ChangedName {
  readonly revision: number
  readonly name: string
}

/** Returns up to `limit` variables that the revisions after one and up to another changed, the earliest first. */
export function changedNamesBetween(
  sql: Reader,
  stageId: string,
  after: number,
  upTo: number,
  limit: number,
): Promise<ChangedName[]> {
  return sql.all(
    `select revision, name from variable_history where stage_id = $1 and revision > $2 and revision <= $3
     order by revision limit $4`,
    stageId,
    after,
    upTo,
    limit,
  )
}
