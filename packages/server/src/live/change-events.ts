/** The change events of a stage since a revision. */
import { compareCodePoints } from '@rollkey/contract'
import { historyFloor } from '../storage/history.ts'
import { changedNamesBetween, type StageHeadRow } from '../storage/revisions.ts'
import type { Reader } from '../storage/sql.ts'

/**
 * A revision and the names that it touched. Without names, the client must read the whole stage again; without a stage, all stages,
 * since any of them may have changed.
 */
export interface ChangeEvent {
  readonly stageSlug: string | undefined
  readonly revision: number | undefined
  readonly names: readonly string[] | undefined
}

/** The event of a client that may have missed anything. */
export const anyChange: ChangeEvent = { stageSlug: undefined, revision: undefined, names: undefined }

/** An event of one stage. */
export interface StageEvent extends ChangeEvent {
  readonly stageSlug: string
  readonly revision: number
}

/** Maximum names, as many as one write can touch. */
const maxNames = 2_000

/**
 * Returns the events after a revision, earliest first. Returns a single event without names if there are too many, or if the
 * history does not go back to the revision.
 */
export async function changeEventsOf(sql: Reader, head: StageHeadRow, after: number): Promise<StageEvent[]> {
  const { stage_id: stageId, stage_slug: stageSlug, revision: upTo } = head
  const readAgain = [{ stageSlug, revision: upTo, names: undefined }]
  // The store is an older one, or another revision has this number.
  if (after >= upTo) return readAgain
  const changed = await changedNamesBetween(sql, stageId, after, upTo, maxNames + 1)
  if (changed.length > maxNames || upTo - after > maxNames) return readAgain
  // Read last, so that everything swept before it could be read is below the floor.
  if (Math.max(1, after) < (await historyFloor(sql, stageId))) return readAgain
  const names = Map.groupBy(changed, ({ revision }) => revision)
  return Array.from({ length: upTo - after }, (_, index) => {
    const revision = after + 1 + index
    const own = (names.get(revision) ?? []).map(({ name }) => name)
    return { stageSlug, revision, names: own.toSorted(compareCodePoints) }
  })
}
