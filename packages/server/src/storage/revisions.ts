/** Queries of the current revisions of stages, and of the variables that revisions changed. */
import type { Reader } from './sql.ts'

export interface StageHeadRow {
  readonly project_id: string
  readonly stage_id: string
  readonly stage_slug: string
  readonly revision: number
  /** When the stage was deleted, which is its last revision. */
  readonly deleted_at_ms: number | null
  /** Number of moves of its proposed changes. */
  readonly changes_moved: number
}

/** Returns all stages of one or more projects, also the deleted ones. */
export function stageHeads(sql: Reader, projectIds: readonly string[]): Promise<StageHeadRow[]> {
  // Pads the list to a power of two: each number of parameters makes a different text, which has to be prepared.
  const count = 2 ** Math.ceil(Math.log2(projectIds.length))
  const ids = Array.from({ length: count }, (_, index) => projectIds[index % projectIds.length] as string)
  return sql.all(
    `select project_id, id as stage_id, slug as stage_slug, revision, deleted_at_ms, changes_moved from stages
     where project_id in (${ids.map((_, index) => `$${index + 1}`).join(', ')})`,
    ...ids,
  )
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
