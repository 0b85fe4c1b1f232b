/** What can be known of a replica without a key. */
import { latestWriterOf } from './fence.ts'
import type { Writer } from './names.ts'
import { objectsOf, planRestore } from './plan.ts'
import { BadReplica, type ReplicaTarget } from './target.ts'

export interface ReplicaStatus {
  readonly objects: number
  readonly bytes: number
  /** Who ships to it, or shipped last. */
  readonly writer: Writer | undefined
  /** The earliest and the latest moment that can be restored, in ISO 8601. Absent if there is none. */
  readonly from?: string
  readonly to?: string
  /** Number of objects that a restore of the newest state reads. */
  readonly restoreReads?: number
  /** Why the newest state cannot be restored, if it cannot. */
  readonly problem?: string
}

export async function statusOf(target: ReplicaTarget): Promise<ReplicaStatus> {
  const objects = await objectsOf(target)
  const known = {
    objects: objects.length,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
    writer: await latestWriterOf(target),
  }
  try {
    const { snapshot, segments } = planRestore(objects)
    const first = objects.find(({ kind }) => kind === 'snapshot') ?? snapshot
    return {
      ...known,
      from: new Date(first.atMs).toISOString(),
      to: new Date((segments.at(-1) ?? snapshot).atMs).toISOString(),
      restoreReads: 1 + segments.length,
    }
  } catch (error) {
    if (!(error instanceof BadReplica)) throw error
    return { ...known, problem: error.message }
  }
}
