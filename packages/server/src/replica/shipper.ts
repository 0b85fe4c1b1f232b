/** Ships what was committed to the replica, at most every second. Nothing waits for it, and it never gives up. */
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { msPerDay, type Timer } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { within } from '../base/within.ts'
import { createWorkFolder } from '../storage/work-folder.ts'
import type { StoreFiles } from './capture.ts'
import { processOf, successorOf, takeOver } from './fence.ts'
import { contentOf } from './file-target.ts'
import { firstLineOf, sealInto, type Capture, type SealParts } from './format.ts'
import { beforeNumber, folderOf, nameOf, type ObjectName, type Writer } from './names.ts'
import { objectsOf, type StoredObject } from './plan.ts'
import { deleteBefore } from './retention.ts'
import { recordState, type ReplicaState } from './state.ts'
import type { Content, ReplicaTarget } from './target.ts'

const intervalMs = 1_000
const checkIntervalMs = 5 * 60_000
const sweepIntervalMs = 60 * 60_000
/** How long what was committed may be missing in the replica before the log and doctor say so. */
const maxLagMs = 30_000
/** Maximum bytes of the pages of a segment, which are in memory. What is more becomes a snapshot. */
const maxSegmentBytes = 64 * 1024 * 1024
/** Segments after which another snapshot may follow, so that a restore reads few objects. */
const maxSegments = 4_096
const minSnapshotBytes = 4 * 1024 * 1024
const stateIntervalMs = 10_000
const closeMs = 5_000
/** How long the replica may lack a change before owners hear of it, in ms, as the alert RollkeyReplicaBehind has it. */
const troubledAfterMs = 60_000

interface ShipperParts extends SealParts {
  readonly target: ReplicaTarget
  readonly files: StoreFiles
  readonly dataDir: string
  /** How long segments and snapshots are kept, in days. */
  readonly days: number
  /** What this process became before its service started, such as a standby; absent: it becomes the next writer. */
  readonly writer?: Writer | undefined
  readonly clock: Timer
  readonly log: Log
}

interface SealedObject {
  readonly name: ObjectName
  readonly content: Content
  readonly sha256: string
}

/** A segment that was captured, and when the earliest change in it was seen. */
interface PendingSegment extends SealedObject {
  readonly sinceMs: number
}

/** What happened since the latest snapshot. */
interface SinceSnapshot {
  readonly number: number
  readonly atMs: number
  segments: number
  bytes: number
}

/** What /metrics shows. */
export interface ReplicaMetrics {
  /** How long the earliest change that the replica lacks has been missing. Undefined if it lacks none. */
  readonly lagMs: number | undefined
  readonly isReplaced: boolean
  readonly shippedObjects: number
  readonly shippedBytes: number
}

export class Shipper {
  readonly #parts: ShipperParts
  #writer: Writer | undefined
  #successor: Writer | undefined
  /** The latest segment, or the snapshot in its place. A segment after a snapshot has no checksum of the one before. */
  #last = { number: 0, atMs: 0, sha256: '' }
  /** A segment that may not be stored yet. It is sent again until it is. */
  #pending: PendingSegment | undefined
  #snapshot: Promise<void> | undefined
  #since: SinceSnapshot | undefined
  #round: Promise<void> | undefined
  /** When the earliest change that was not captured was seen. */
  #changedSinceMs: number | undefined
  /** When the earliest change was seen that only the snapshot under way has. */
  #snapshotSinceMs: number | undefined
  #problem: string | undefined
  #state: ReplicaState['state'] = 'shipping'
  #recordedAtMs = 0
  #checkedAtMs: number
  #sweptAtMs: number
  #stop: (() => void) | undefined
  #shippedObjects = 0
  #shippedBytes = 0
  #lastShippedAtMs: number | undefined

  constructor(parts: ShipperParts) {
    this.#parts = parts
    this.#writer = parts.writer
    this.#checkedAtMs = parts.clock.now()
    this.#sweptAtMs = parts.clock.now()
  }

  start(): void {
    this.#changedSinceMs = this.#parts.clock.now()
    this.#stop = this.#parts.clock.every(intervalMs, () => this.tick())
    this.tick()
  }

  get metrics(): ReplicaMetrics {
    return {
      lagMs: this.#lagMs,
      isReplaced: this.#successor !== undefined,
      shippedObjects: this.#shippedObjects,
      shippedBytes: this.#shippedBytes,
    }
  }

  /** Returns what owners should know: that the replica is behind, or has another writer. */
  get trouble(): { readonly lagMs?: number; readonly isReplaced: boolean } | undefined {
    const { lagMs, isReplaced } = this.metrics
    return isReplaced || (lagMs ?? 0) > troubledAfterMs
      ? { ...(lagMs !== undefined && { lagMs }), isReplaced }
      : undefined
  }

  get #lagMs(): number | undefined {
    const since = [this.#changedSinceMs, this.#snapshotSinceMs, this.#pending?.sinceMs].filter(
      (each) => each !== undefined,
    )
    return since.length === 0 ? undefined : Math.max(0, this.#parts.clock.now() - Math.min(...since))
  }

  /** Sees what was committed, and ships it unless an earlier round is still under way. */
  tick(): void {
    const { files, clock } = this.#parts
    try {
      files.checkpoint()
      if (files.observe()) this.#changedSinceMs ??= clock.now()
    } catch (error) {
      // A disk that fails is the store's to report. The round tries again, and the lag shows it.
      this.#changedSinceMs ??= clock.now()
      this.#problem = reasonOf(error)
    }
    this.#round ??= this.#ship().finally(() => {
      this.#round = undefined
      this.#report()
    })
    this.#report()
  }

  /** Ships until the replica has all that is committed now, or the first failure. */
  async shipAll(): Promise<void> {
    await this.#round
    this.tick()
    await this.#round
    await this.#snapshot
  }

  /** Ships what is left, within a limit. The store must still be open. */
  async close(): Promise<void> {
    this.#stop?.()
    const { log, files } = this.#parts
    const outcome = await within(closeMs, this.shipAll())
    if (outcome === 'late' || this.#lagMs !== undefined)
      log.warn('stopped before the replica had everything; the next start ships it', { reason: this.#problem })
    files.close()
  }

  /** Closes the files, once the store is closed. */
  closeFiles(): void {
    this.#parts.files.closeFiles()
  }

  async #ship(): Promise<void> {
    try {
      if (!(await this.#mayShip())) return
      await this.#sendPending()
      await this.#shipChanges()
      await this.#check()
      await this.#sweep()
      this.#problem = undefined
    } catch (error) {
      this.#problem = reasonOf(error)
    }
  }

  /** Returns whether this process is the latest writer. Becomes it first. */
  async #mayShip(): Promise<boolean> {
    const { target, clock, log } = this.#parts
    if (this.#successor) return false
    this.#writer ??= (await takeOver(target, clock.now(), log)).writer
    this.#successor = await successorOf(target, this.#writer)
    return !this.#successor
  }

  /** Captures what changed, and everything if a snapshot is due, at one moment. Then sends them. */
  async #shipChanges(): Promise<void> {
    const { files } = this.#parts
    const isBroken = this.#isChainBroken()
    const isDue = !this.#snapshot && (isBroken || this.#isSnapshotDue())
    if (isBroken && !isDue) return
    if (!isBroken && !files.observe()) return
    const number = this.#last.number + 1
    const sinceMs = this.#changedSinceMs ?? this.#parts.clock.now()
    const segment = isBroken ? undefined : { name: this.#newName('segment', number), capture: files.capture('changed') }
    const all = isDue ? { name: this.#newName('snapshot', number), capture: files.capture('all') } : undefined
    this.#changedSinceMs = undefined
    if (all) this.#sendSnapshot(all.name, all.capture, segment ? undefined : sinceMs)
    if (segment) await this.#sendSegment(segment.name, segment.capture, sinceMs)
    else if (all) this.#last = { number, atMs: all.name.atMs, sha256: '' }
  }

  /** Returns whether the next segment could not continue the one before, so that only a snapshot can. */
  #isChainBroken(): boolean {
    const { changedBytes } = this.#parts.files
    return !this.#since || changedBytes === undefined || changedBytes > maxSegmentBytes
  }

  #isSnapshotDue(): boolean {
    const { files, clock } = this.#parts
    const { atMs, segments, bytes } = this.#since as SinceSnapshot
    const enough = Math.max(minSnapshotBytes, files.bytes)
    return clock.now() - atMs > msPerDay || bytes > enough || (segments >= maxSegments && bytes > enough / 8)
  }

  #newName(kind: ObjectName['kind'], number: number): ObjectName {
    // Times never go back, so that they order segments as their numbers do.
    const atMs = Math.max(this.#last.atMs, this.#parts.clock.now())
    return { writer: (this.#writer as Writer).writer, number, atMs, kind }
  }

  /** Seals and sends a snapshot, while segments follow. `sinceMs`: of the earliest change that no segment has. */
  #sendSnapshot(name: ObjectName, capture: Capture, sinceMs: number | undefined): void {
    this.#since = { number: name.number, atMs: name.atMs, segments: 0, bytes: 0 }
    this.#snapshotSinceMs = sinceMs
    this.#snapshot = this.#sealSnapshot(name, capture)
      .catch((error: unknown) => {
        this.#problem = reasonOf(error)
        this.#since = undefined
        this.#changedSinceMs = this.#snapshotSinceMs ?? this.#changedSinceMs ?? this.#parts.clock.now()
      })
      .finally(() => {
        this.#snapshot = undefined
        this.#snapshotSinceMs = undefined
        this.#report()
      })
  }

  async #sealSnapshot(name: ObjectName, capture: Capture): Promise<void> {
    const folder = await createWorkFolder(this.#parts.dataDir)
    try {
      const file = path.join(folder.path, 'snapshot.sealed')
      const to = createWriteStream(file, { mode: 0o600 })
      const sha256 = await sealInto(to, name, capture, this.#parts).finally(() => capture.release())
      await this.#send({ name, sha256, content: await contentOfFile(firstLineOf(name, sha256, ''), file) })
    } finally {
      await folder.remove()
    }
  }

  async #sendSegment(name: ObjectName, capture: Capture, sinceMs: number): Promise<void> {
    const sealed = new PassThrough()
    try {
      const [sha256, bytes] = await Promise.all([sealInto(sealed, name, capture, this.#parts), buffer(sealed)])
      const first = firstLineOf(name, sha256, this.#last.sha256)
      this.#pending = { name, sha256, content: contentOf(Buffer.concat([first, bytes])), sinceMs }
      this.#last = { number: name.number, atMs: name.atMs, sha256 }
    } catch (error) {
      // Its pages are in no segment.
      this.#since = undefined
      this.#changedSinceMs = sinceMs
      throw error
    } finally {
      capture.release()
    }
    await this.#sendPending()
  }

  async #sendPending(): Promise<void> {
    if (!this.#pending) return
    await this.#send(this.#pending)
    if (this.#since) {
      this.#since.segments++
      this.#since.bytes += this.#pending.content.bytes
    }
    this.#pending = undefined
  }

  async #send({ name, content }: SealedObject): Promise<void> {
    await this.#parts.target.put(nameOf(name), content)
    this.#shippedObjects++
    this.#shippedBytes += content.bytes
    this.#lastShippedAtMs = Math.max(this.#lastShippedAtMs ?? 0, name.atMs)
  }

  /** Looks whether the replica still has what it took. */
  async #check(): Promise<void> {
    const { target, clock, log } = this.#parts
    if (clock.now() - this.#checkedAtMs < checkIntervalMs || this.#snapshot || !this.#since) return
    this.#checkedAtMs = clock.now()
    const { number } = this.#since
    const { writer } = this.#writer as Writer
    const lost = this.#lostObject(number, await objectsOf(target, folderOf(writer), beforeNumber(writer, number)))
    if (lost === undefined) return
    this.#since = undefined
    this.#changedSinceMs ??= clock.now()
    log.error('the replica lost an object that it had taken: a new snapshot follows', { name: lost })
  }

  /** Deletes what is too old. */
  async #sweep(): Promise<void> {
    const { target, days, clock } = this.#parts
    if (clock.now() - this.#sweptAtMs < sweepIntervalMs) return
    this.#sweptAtMs = clock.now()
    await deleteBefore(target, clock.now() - days * msPerDay)
  }

  /** Returns the object that the next restore needs and the replica has lost, if any. `first`: number of the snapshot. */
  #lostObject(first: number, own: readonly StoredObject[]): string | undefined {
    if (!own.some(({ kind, number }) => kind === 'snapshot' && number === first)) return `snapshot ${first}`
    const segments = new Set(own.flatMap(({ kind, number }) => (kind === 'segment' ? [number] : [])))
    for (let number = first + 1; number <= this.#last.number; number++)
      if (!segments.has(number)) return `segment ${number}`
    return undefined
  }

  /** Says in the log, and to doctor, what changed. */
  #report(): void {
    const { clock, log, dataDir } = this.#parts
    const state = this.#successor ? 'replaced' : (this.#lagMs ?? 0) > maxLagMs ? 'behind' : 'shipping'
    const isNew = state !== this.#state
    this.#state = state
    const successor = isNew && state === 'replaced' ? this.#successor : undefined
    if (successor)
      log.error(
        'another start has replaced this process as the writer of the replica, so what is written here is not shipped: stop this process, or restart it to become the writer again',
        { address: successor.host, name: processOf(successor) },
      )
    if (isNew && state === 'behind')
      log.error('the replica is behind: what is written now would be lost with this machine', { reason: this.#problem })
    if (isNew && state === 'shipping') log.info('the replica has everything again')
    if (!isNew && clock.now() - this.#recordedAtMs < stateIntervalMs) return
    this.#recordedAtMs = clock.now()
    recordState(dataDir, {
      state,
      atMs: clock.now(),
      lagMs: this.#lagMs ?? 0,
      lastShippedAtMs: this.#lastShippedAtMs,
      problem: this.#problem,
      writer: this.#writer,
      successor: this.#successor,
    })
  }
}

async function contentOfFile(first: Buffer, file: string): Promise<Content> {
  const { size } = await stat(file)
  return {
    bytes: first.length + size,
    open: () => Readable.from(concatenated(first, file)),
  }
}

async function* concatenated(first: Buffer, file: string): AsyncGenerator<Buffer> {
  yield first
  yield* createReadStream(file) as AsyncIterable<Buffer>
}
