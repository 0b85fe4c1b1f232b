/** What a replica has, by the names of its objects, and what a restore reads of it. */
import { writersAfter } from './fence.ts'
import { beforeNumber, folderOf, nameOf, parseName, type ObjectName } from './names.ts'
import { BadReplica, type ReplicaTarget } from './target.ts'

export interface StoredObject extends ObjectName {
  readonly bytes: number
}

/** Returns segments and snapshots, all or those of a list with a prefix, by writer and number. */
export async function objectsOf(target: ReplicaTarget, prefix = '', after?: string): Promise<StoredObject[]> {
  const objects = (await target.list(prefix, after)).flatMap(({ name, bytes }) => {
    const parsed = parseName(name)
    return parsed ? [{ ...parsed, bytes }] : []
  })
  return objects.toSorted((a, b) => a.writer - b.writer || a.number - b.number)
}

/** A snapshot and the segments that follow it, up to the moment of a restore. */
export interface RestorePlan {
  readonly snapshot: StoredObject
  readonly segments: readonly StoredObject[]
}

function planOfWriter(objects: readonly StoredObject[], toMs: number): RestorePlan | undefined {
  const reached = objects.filter(({ atMs }) => atMs <= toMs)
  const snapshot = reached.findLast(({ kind }) => kind === 'snapshot')
  if (!snapshot) return undefined
  const segments = reached.filter(({ kind, number }) => kind === 'segment' && number > snapshot.number)
  return { snapshot, segments }
}

/**
 * Returns what to read for the newest state, or for that of a moment: the latest writer that had a snapshot by then. Throws BadReplica if
 * there is none, or a segment is missing.
 */
export function planRestore(objects: readonly StoredObject[], toMs = Infinity): RestorePlan {
  const byWriter = Map.groupBy(objects, ({ writer }) => writer)
  for (const writer of [...byWriter.keys()].toSorted((a, b) => b - a)) {
    const plan = planOfWriter(byWriter.get(writer) ?? [], toMs)
    if (!plan) continue
    assertComplete(plan)
    return plan
  }
  const [first] = objects.filter(({ kind }) => kind === 'snapshot')
  if (!first) throw new BadReplica('The replica has no snapshot yet, so there is nothing to restore.')
  throw new BadReplica(
    `The replica begins at ${new Date(first.atMs).toISOString()}: there is nothing to restore from before.`,
  )
}

/**
 * Returns what to read after an object, in order: the segments that follow it or, if there is a later writer with a snapshot or a later
 * snapshot in place of the next segment, what a restore reads. Throws BadReplica if a segment is missing.
 */
export async function planAfter(
  target: ReplicaTarget,
  last: Omit<ObjectName, 'kind'> | undefined,
): Promise<StoredObject[]> {
  for (const writer of (await writersAfter(target, last?.writer ?? 0)).toReversed()) {
    const objects = await objectsOf(target, folderOf(writer))
    if (objects.some(({ kind }) => kind === 'snapshot')) return inOrder(planRestore(objects))
  }
  if (!last) return []
  const listed = await objectsOf(target, folderOf(last.writer), beforeNumber(last.writer, last.number))
  const later = listed.filter(({ number }) => number > last.number)
  const segments = later.filter(({ kind }) => kind === 'segment')
  if (later.length === 0) return []
  const following = segments.filter(({ number }, index) => number === last.number + 1 + index)
  if (following.length > 0) return following
  if (later.some(({ kind }) => kind === 'snapshot')) return inOrder(planRestore(later))
  throw missingSegment(last.number + 1, { ...last, kind: 'segment' })
}

function inOrder({ snapshot, segments }: RestorePlan): StoredObject[] {
  return [snapshot, ...segments]
}

/** Throws BadReplica if a segment is missing. */
function assertComplete({ snapshot, segments }: RestorePlan): void {
  let before: ObjectName = snapshot
  for (const segment of segments) {
    if (segment.number !== before.number + 1) throw missingSegment(before.number + 1, before)
    before = segment
  }
}

function missingSegment(number: number, before: ObjectName): BadReplica {
  return new BadReplica(
    `Segment ${number} of writer ${before.writer} is missing in the replica, after ${nameOf(before)}. ${upTo(before)}`,
  )
}

/** Returns the advice about a damaged or missing object, which follows the last whole one. */
export function upTo(whole: ObjectName | undefined): string {
  const to = whole ? `--to ${new Date(whole.atMs).toISOString()}` : 'an earlier --to TIME'
  return `Look for another copy of it, or restore what is before it with ${to}.`
}
