import { nameOf } from './names.ts'
import { objectsOf, type StoredObject } from './plan.ts'
import type { ReplicaTarget } from './target.ts'

/** Returns the objects that no restore to a moment from `beforeMs` on reads. */
function unneededBefore(objects: readonly StoredObject[], beforeMs: number): StoredObject[] {
  const base = objects.findLast(({ kind, atMs }) => kind === 'snapshot' && atMs <= beforeMs)
  if (!base) return []
  return objects.filter(
    (each) =>
      each.writer < base.writer ||
      (each.writer === base.writer && (each.number < base.number || (each.number === base.number && each !== base))),
  )
}

/** Deletes what no restore to a moment from `beforeMs` on reads. Writers' objects stay. */
export async function deleteBefore(target: ReplicaTarget, beforeMs: number): Promise<void> {
  for (const each of unneededBefore(await objectsOf(target), beforeMs)) await target.remove(nameOf(each))
}
