/** What has become of a stage since a revision. */
import { historyFloor } from '../../storage/history.ts'
import { touchedNamesBetween, type HeadRow } from '../../storage/revisions.ts'
import type { Reader } from '../../storage/sql.ts'
import { compareCodePoints } from '../code-points.ts'

/** A revision and what it touched; without names: whatever was there before is to be read anew. */
export interface ChangeEvent {
  readonly stageSlug: string
  readonly revision: number
  readonly names: readonly string[] | undefined
}

/** As many as one write can touch. */
const maxNames = 2_000

/** The revisions after `after`, the earliest first; one without names where they are too many, or older than the history. */
export async function changeEventsOf(sql: Reader, head: HeadRow, after: number): Promise<ChangeEvent[]> {
  const { stage_id: stageId, stage_slug: stageSlug, revision: upTo } = head
  const anew = [{ stageSlug, revision: upTo, names: undefined }]
  // Only of a stage that came back from an older backup.
  if (after > upTo) return anew
  const touched = await touchedNamesBetween(sql, stageId, after, upTo, maxNames + 1)
  if (touched.length > maxNames || upTo - after > maxNames) return anew
  // Asked last, so that what was swept before it could be read is below it.
  if (Math.max(1, after) < (await historyFloor(sql, stageId))) return anew
  const names = Map.groupBy(touched, ({ revision }) => revision)
  return Array.from({ length: upTo - after }, (_, index) => {
    const revision = after + 1 + index
    const own = (names.get(revision) ?? []).map(({ name }) => name)
    return { stageSlug, revision, names: own.toSorted(compareCodePoints) }
  })
}
