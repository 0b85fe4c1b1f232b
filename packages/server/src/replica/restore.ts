/** Reads a replica up to a moment, and checks all that it read, to verify it or to restore it (docs/replica.md). */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { BadBackup } from '../backup/archive.ts'
import { assertUndamaged, checkContent, type BackupCheck } from '../backup/check.ts'
import { endSessions, moveInto, withStore, type RestoreParts } from '../backup/restore.ts'
import { withWorkFolder } from '../storage/work-folder.ts'
import { openObject, replicaPurpose, type OpenedObject } from './format.ts'
import { nameOf } from './names.ts'
import { objectsOf, planRestore, upTo, type StoredObject } from './plan.ts'
import { RestoredFiles } from './restored-files.ts'
import { BadReplica, type ReplicaTarget } from './target.ts'

/** Objects that are read ahead while one is applied. Larger ones are read when it is their turn. */
const readAhead = 16
const maxAheadBytes = 1024 * 1024

export interface ReplicaSource {
  readonly target: ReplicaTarget
  /** The secret half of the backup key. */
  readonly identity: string
  /** The moment to restore; absent: the newest. */
  readonly toMs?: number | undefined
}

export interface ReplicaVerdict extends BackupCheck {
  /** Time of the state, in ISO 8601. */
  readonly madeAt: string
  readonly writer: number
  readonly segment: number
}

interface ReadReplica {
  readonly last: StoredObject
  readonly objects: readonly OpenedObject[]
}

/** Reads small objects before their turn, so that a restore does not wait for each answer. */
export class Ahead {
  readonly #target: ReplicaTarget
  readonly #objects: readonly StoredObject[]
  readonly #reading = new Map<number, Promise<Readable | undefined>>()

  constructor(target: ReplicaTarget, objects: readonly StoredObject[]) {
    this.#target = target
    this.#objects = objects
  }

  async get(index: number): Promise<Readable | undefined> {
    for (let next = index; next < Math.min(index + readAhead, this.#objects.length); next++) this.#begin(next)
    const stream = this.#reading.get(index) ?? this.#target.get(nameOf(this.#objects[index] as StoredObject))
    this.#reading.set(index, Promise.resolve(undefined))
    return stream
  }

  #begin(index: number): void {
    const object = this.#objects[index] as StoredObject
    if (this.#reading.has(index) || object.bytes > maxAheadBytes) return
    const reading = this.#target
      .get(nameOf(object))
      .then(async (stream) => stream && Readable.from([await buffer(stream)]))
    // A failure is reported when it is the object's turn.
    reading.catch(() => {})
    this.#reading.set(index, reading)
  }
}

/** Writes the files of the moment to an empty folder. Throws BadReplica at the first object that is damaged or missing. */
export async function readReplica(
  { target, identity, toMs }: ReplicaSource,
  folder: string,
  progress: RestoreParts['progress'],
): Promise<ReadReplica> {
  const { snapshot, segments } = planRestore(await objectsOf(target), toMs)
  const all = [snapshot, ...segments]
  const files = new RestoredFiles(folder)
  const objects: OpenedObject[] = []
  const ahead = new Ahead(target, all)
  for (const [index, each] of all.entries()) {
    const name = nameOf(each)
    const stream = await ahead.get(index)
    const advice = upTo(all[index - 1])
    if (!stream) throw new BadReplica(`${name} is missing in the replica. ${advice}`)
    const opened = await openObject(name, stream, identity, files).catch((error: unknown) => {
      throw error instanceof BadReplica ? new BadReplica(`${error.message} ${advice}`, { cause: error }) : error
    })
    files.keepJournals(opened.manifest)
    const before = objects.at(-1)
    if (index > 1 && opened.previous !== before?.sha256)
      throw new BadReplica(`${name} in the replica does not follow the segment before it. ${advice}`)
    objects.push(opened)
    progress(index + 1, all.length)
  }
  return { last: all.at(-1) as StoredObject, objects }
}

/** Reads the replica next to the store and checks all of it. Runs the work with the open store, and `afterwards` once it is closed. */
function withReplica<T>(
  source: ReplicaSource,
  parts: RestoreParts,
  whileOpen: (verdict: ReplicaVerdict, store: Parameters<typeof endSessions>[0]) => Promise<T>,
  afterwards: (folder: string) => void = () => {},
): Promise<T> {
  return withWorkFolder(parts.dataDir, async (folder) => {
    const { last, objects } = await readReplica(source, folder, parts.progress)
    const madeAt = new Date(last.atMs).toISOString()
    try {
      const names = (objects[0] as OpenedObject).manifest.databases.map(({ name }) => name)
      assertUndamaged(names, folder)
      const result = await withStore(folder, parts, async (sql) => {
        const keyring = await parts.openKeyring(sql)
        const secret = keyring.secretFor(replicaPurpose)
        for (const each of objects) each.assertSigned(secret)
        const check = await checkContent({ ...parts, sql, keyring }, parts.progress)
        return whileOpen({ madeAt, writer: last.writer, segment: last.number, ...check }, { sql, folder, madeAt })
      })
      afterwards(folder)
      return result
    } catch (error) {
      throw error instanceof BadBackup
        ? new BadReplica(error.message.replaceAll('backup', 'replica'), { cause: error })
        : error
    }
  })
}

/** Opens every value of a replica and checks its audit logs. Changes nothing. Throws BadReplica. */
export function verifyReplica(source: ReplicaSource, parts: RestoreParts): Promise<ReplicaVerdict> {
  return withReplica(source, parts, async (verdict) => verdict)
}

/** Restores a replica to the data directory, which must be locked and have no store. Throws BadReplica. */
export function restoreReplica(
  source: ReplicaSource,
  parts: RestoreParts,
): Promise<ReplicaVerdict & { readonly sessionsEnded: number }> {
  return withReplica(
    source,
    parts,
    async (verdict, store) => ({ ...verdict, sessionsEnded: await endSessions(store, parts.clock.now()) }),
    (folder) => moveInto(parts.dataDir, folder),
  )
}
