/**
 * Follows a replica: keeps a store that has what was shipped, ready to become that of a service. A segment is checked as a whole before any
 * of it is applied, and then applied without a wait. A process that was killed in between begins again with a snapshot.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { archivedFiles, BadBackup } from '../backup/archive.ts'
import { assertUndamaged } from '../backup/check.ts'
import { endSessions, moveInto, withStore, type RestoreParts } from '../backup/restore.ts'
import type { Timer } from '../base/clock.ts'
import { reasonOf } from '../base/log.ts'
import { within } from '../base/within.ts'
import { Mutex } from '../concurrency/mutex.ts'
import { readSqlite } from '../storage/sqlite.ts'
import { takeOver } from './fence.ts'
import { openObject, replicaPurpose, type OpenedObject } from './format.ts'
import { nameOf, type Writer } from './names.ts'
import { planAfter, type StoredObject } from './plan.ts'
import { Ahead } from './restore.ts'
import { RestoredFiles, SegmentContent } from './restored-files.ts'
import { readRecord, writeRecord, type StandbyPosition, type StandbyRecord } from './standby-record.ts'
import { BadReplica, type ReplicaTarget } from './target.ts'

const intervalMs = 1_000
/** How long the next object may be missing, or the replica may not answer, before the log says so. A damaged one is named at once. */
const maxProblemMs = 30_000
const recordIntervalMs = 10_000
/** Bytes of segments that are in memory before they are applied. */
const maxAppliedBytes = 16 * 1024 * 1024
const folderName = 'standby'
/** How long a promotion waits for the replica. With `asIs` it must not wait for a lost machine. */
const answerMs = { whole: 60_000, asIs: 2_000 }

interface StandbyParts extends Omit<RestoreParts, 'clock'> {
  readonly target: ReplicaTarget
  /** The secret half of the backup key. */
  readonly identity: string
  readonly clock: Timer
}

export interface Promotion {
  /** Time of the state, in ISO 8601. */
  readonly madeAt: string
  readonly segment: number
  /** Who ships from now on: this process. Absent if the replica did not answer. */
  readonly writer?: Writer | undefined
  readonly replaced?: Writer | undefined
  readonly sessionsEnded: number
  /** Why the state may lack what was shipped; only with `asIs`. */
  readonly problem?: string | undefined
}

interface Problem {
  readonly message: string
  readonly sinceMs: number
  isLogged: boolean
}

interface CheckedSegment {
  readonly object: StoredObject
  readonly opened: OpenedObject
  readonly content: SegmentContent
}

export class Standby {
  readonly #parts: StandbyParts
  #record: StandbyRecord
  #recordedAtMs = 0
  #secret: string | undefined
  /** Name of the object that is being read. */
  #reading: string | undefined
  #problem: Problem | undefined
  readonly #rounds = new Mutex()
  #isBusy = false
  #promotion: Promise<Promotion> | undefined
  #stop: (() => void) | undefined
  #isEnded = false

  /** The data directory must be locked and have no store. */
  constructor(parts: StandbyParts) {
    this.#parts = parts
    this.#record = readRecord(parts.dataDir) ?? { state: 'following' }
  }

  /** Reads what there is, and follows. Throws an error for the operator if it cannot even begin. */
  async start(): Promise<void> {
    const { clock } = this.#parts
    const position = this.#wholePosition
    this.#record = { ...this.#record, state: 'following', position }
    this.#removeFoldersExcept(position)
    try {
      await this.#round()
    } catch (error) {
      if (!position) throw error
    }
    this.#stop = clock.every(intervalMs, () => void this.tick())
  }

  /** Follows the replica, unless a round is still under way. */
  async tick(): Promise<void> {
    if (this.#isBusy) return
    // The log has what was wrong.
    await this.#round().catch(() => {})
  }

  /** Follows the replica, after the round under way. */
  #round(): Promise<void> {
    this.#isBusy = true
    return this.#rounds.run(async () => {
      try {
        await this.#follow()
        this.#report(undefined)
      } catch (error) {
        this.#report(error)
        throw error
      } finally {
        this.#isBusy = false
      }
    })
  }

  /** Ends the round under way. */
  async close(): Promise<void> {
    this.#stop?.()
    this.#isEnded = true
    await within(
      intervalMs,
      this.#rounds.run(async () => {}),
    )
  }

  /**
   * Becomes the writer of the replica, applies what was shipped until then, and moves the store to the data directory. Throws BadReplica if
   * the replica cannot be read to its end, unless `asIs`.
   */
  promote(asIs: boolean): Promise<Promotion> {
    this.#promotion ??= this.#promote(asIs).finally(() => {
      this.#promotion = undefined
    })
    return this.#promotion
  }

  async #promote(asIs: boolean): Promise<Promotion> {
    const { target, clock, log } = this.#parts
    if (this.isPromoting) return this.finish()
    const before = await this.#catchUp(asIs)
    const { writer, replaced } = await answered(asIs, takeOver(target, clock.now(), log)).catch((error: unknown) => {
      if (!asIs) throw error
      return { writer: undefined, replaced: undefined }
    })
    // What was shipped until the takeover.
    const problem = before ?? (await this.#catchUp(asIs))
    if (!this.#wholePosition) throw new BadReplica('The standby has no state of the replica yet.')
    return { ...(await this.finish()), writer, replaced, problem }
  }

  /** Reads the replica to its end. Returns why it could not, with `asIs`. */
  async #catchUp(asIs: boolean): Promise<string | undefined> {
    try {
      await answered(asIs, this.#round())
      return undefined
    } catch (error) {
      if (!asIs) throw error
      return (error as Error).message
    }
  }

  /** Makes the store that of a service, also when an earlier process was killed in between. Nothing of the replica is applied any more. */
  async finish(): Promise<Pick<Promotion, 'madeAt' | 'segment' | 'sessionsEnded'>> {
    const { dataDir, clock } = this.#parts
    this.#stop?.()
    this.#isEnded = true
    const position = this.#record.position as StandbyPosition
    const { atMs, number } = position
    const folder = this.#folderOf(position)
    const madeAt = new Date(atMs).toISOString()
    this.#write({ state: 'promoting', problem: undefined })
    const sessionsEnded = await withStore(folder, this.#parts, (sql) =>
      endSessions({ sql, folder, madeAt }, clock.now()),
    )
    moveInto(dataDir, folder)
    this.#write({ state: 'promoted' })
    rmSync(path.join(dataDir, folderName), { recursive: true, force: true })
    return { madeAt, segment: number, sessionsEnded }
  }

  /** Whether an earlier process was killed while it made the store that of a service. */
  get isPromoting(): boolean {
    return this.#record.state === 'promoting' && this.#wholePosition !== undefined
  }

  /** The position of a store that has nothing in part. */
  get #wholePosition(): StandbyPosition | undefined {
    const { position, isApplying } = this.#record
    return position && isApplying !== true && existsSync(this.#folderOf(position)) ? position : undefined
  }

  #folderOf({ folder }: StandbyPosition): string {
    return path.join(this.#parts.dataDir, folderName, folder)
  }

  /** Applies what the replica has beyond the position, up to what is damaged or missing. */
  async #follow(): Promise<void> {
    const { target, clock } = this.#parts
    const objects = await planAfter(target, this.#wholePosition)
    const ahead = new Ahead(target, objects)
    const checked: CheckedSegment[] = []
    try {
      for (const [index, object] of objects.entries()) {
        this.#reading = nameOf(object)
        if (object.kind === 'snapshot') await this.#load(object, await this.#get(ahead, index))
        else checked.push(await this.#check(object, await this.#get(ahead, index), checked.at(-1)))
        this.#reading = undefined
        if (checked.reduce((sum, { content }) => sum + content.bytes, 0) < maxAppliedBytes) continue
        this.#apply(checked.splice(0))
      }
    } finally {
      this.#apply(checked.splice(0))
    }
    this.#record = { ...this.#record, currentAtMs: clock.now() }
  }

  async #get(ahead: Ahead, index: number) {
    const stream = await ahead.get(index)
    if (!stream) throw new BadReplica(`${this.#reading} is missing in the replica.`)
    return stream
  }

  /** Unpacks a snapshot next to the store, checks it, and goes on with it. */
  async #load(object: StoredObject, stream: Parameters<typeof openObject>[1]): Promise<void> {
    const { identity, log } = this.#parts
    const position = { ...positionOf(object), folder: `${object.writer}-${object.number}-${object.atMs}` }
    const folder = this.#folderOf(position)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const files = new RestoredFiles(folder)
    const opened = await openObject(nameOf(object), stream, identity, files)
    await this.#assertWhole(opened, folder)
    files.sync()
    this.#assertGoingOn()
    this.#write({ position, isApplying: false })
    this.#removeFoldersExcept(position)
    log.info('the standby has read a snapshot', { name: nameOf(object) })
  }

  async #assertWhole(opened: OpenedObject, folder: string): Promise<void> {
    const names = opened.manifest.databases.map(({ name }) => name)
    try {
      assertUndamaged(names, folder)
    } catch (error) {
      throw error instanceof BadBackup ? new BadReplica(error.message.replaceAll('backup', 'replica')) : error
    }
    this.#secret = await this.#secretOf(folder)
    opened.assertSigned(this.#secret)
  }

  /** Returns the secret of the installation that signs. */
  async #secretOf(folder: string): Promise<string> {
    const sql = readSqlite(path.join(folder, 'rollkey.db'))
    try {
      return (await this.#parts.openKeyring(sql)).secretFor(replicaPurpose)
    } finally {
      await sql.close()
      removeLogs(folder)
    }
  }

  async #check(
    object: StoredObject,
    stream: Parameters<typeof openObject>[1],
    before: CheckedSegment | undefined,
  ): Promise<CheckedSegment> {
    const { position } = this.#record
    this.#secret ??= await this.#secretOf(this.#folderOf(position as StandbyPosition))
    const content = new SegmentContent()
    const opened = await openObject(nameOf(object), stream, this.#parts.identity, content)
    opened.assertSigned(this.#secret)
    const previous = before ? before.opened.sha256 : position?.sha256
    if (previous !== undefined && opened.previous !== previous)
      throw new BadReplica(`${nameOf(object)} in the replica does not follow the segment before it.`)
    return { object, opened, content }
  }

  /** Applies segments in their order. */
  #apply(checked: readonly CheckedSegment[]): void {
    const last = checked.at(-1)
    if (!last) return
    this.#assertGoingOn()
    const { folder } = this.#record.position as StandbyPosition
    const position = { ...positionOf(last.object), sha256: last.opened.sha256, folder }
    const files = new RestoredFiles(this.#folderOf(position))
    this.#write({ isApplying: true })
    for (const { opened, content } of checked) {
      files.apply(content)
      files.keepJournals(opened.manifest)
    }
    files.sync()
    this.#write({ position, isApplying: false })
  }

  /** Throws if the store is no longer that of the standby. */
  #assertGoingOn(): void {
    if (this.#isEnded) throw new Error('the standby has ended')
  }

  #removeFoldersExcept(position: StandbyPosition | undefined): void {
    const root = path.join(this.#parts.dataDir, folderName)
    for (const name of existsSync(root) ? readdirSync(root) : []) {
      if (name !== position?.folder) rmSync(path.join(root, name), { recursive: true, force: true })
    }
  }

  /** Says in the log what changed, and records it. */
  #report(error: unknown): void {
    const { clock, log } = this.#parts
    if (this.#isEnded) return
    if (error === undefined) {
      if (this.#problem?.isLogged === true) log.info('the standby follows the replica again')
      this.#problem = undefined
    } else {
      this.#problem = { isLogged: false, sinceMs: clock.now(), ...this.#problem, message: messageOf(error) }
      this.#complain(this.#problem, error)
    }
    this.#reading = undefined
    const state = this.#problem?.isLogged === true ? 'stuck' : 'following'
    const isNew = state !== this.#record.state || this.#problem?.message !== this.#record.problem
    if (isNew || clock.now() - this.#recordedAtMs >= recordIntervalMs)
      this.#write({ state, problem: this.#problem?.message })
  }

  /** Logs a problem once: a damaged object at once, and what may pass by itself later. */
  #complain(problem: Problem, error: unknown): void {
    const { clock, log } = this.#parts
    const isDamage = error instanceof BadReplica && this.#reading !== undefined
    if (problem.isLogged || (!isDamage && clock.now() - problem.sinceMs < maxProblemMs)) return
    problem.isLogged = true
    const { writer, number = 0 } = this.#record.position ?? {}
    const next = writer === undefined ? 'the first snapshot' : `segment ${number + 1} of writer ${writer}`
    log.error('the standby cannot read the next object of the replica, and stays before it', {
      name: this.#reading ?? next,
      reason: reasonOf(error),
    })
  }

  #write(changes: Partial<StandbyRecord>): void {
    const { dataDir, clock } = this.#parts
    this.#record = { ...this.#record, ...changes }
    this.#recordedAtMs = clock.now()
    writeRecord(dataDir, this.#record)
  }
}

function messageOf(error: unknown): string {
  return error instanceof BadReplica ? error.message : reasonOf(error)
}

/** Returns the answer of the replica. Throws BadReplica if it fails or takes too long. */
async function answered<T>(asIs: boolean, work: Promise<T>): Promise<T> {
  const answer = await within(asIs ? answerMs.asIs : answerMs.whole, work).catch((error: unknown) => {
    if (error instanceof BadReplica) throw error
    throw new BadReplica(`The replica cannot be read: ${(error as Error).message}.`, { cause: error })
  })
  if (answer === 'late') throw new BadReplica('The replica does not answer in time.')
  return answer
}

function positionOf({ writer, number, atMs }: StoredObject): Omit<StandbyPosition, 'folder'> {
  return { writer, number, atMs }
}

/** Removes what readers of the databases left beside them, which has nothing. */
function removeLogs(folder: string): void {
  for (const name of archivedFiles) {
    for (const end of ['-wal', '-shm']) rmSync(path.join(folder, name + end), { force: true })
  }
}
