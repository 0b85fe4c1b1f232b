/**
 * Serves values without a request. A value is fresh for its time to live. After that, it stays valid while the manifest,
 * which is not metered, reports the revision that the value was read at.
 */
import type { Batches } from './batch.ts'
import type { Connection } from './connection.ts'
import { Entries, foundOf as asLookup, type Entry } from './entries.ts'
import { RollkeyError } from './errors.ts'
import type { Lookup } from './inspection.ts'
import type { EvaluatedVariable } from './wire.ts'
import { Outages } from './outages.ts'
import type { Revisions, StageRevision } from './revisions.ts'
import { SnapshotKeeper } from './snapshot.ts'
import type { AskedRoll } from './roll.ts'
import type { CacheOptions, StageRef, Snapshot } from './types.ts'

interface CacheParts {
  readonly connection: Connection
  readonly revisions: Revisions
  readonly batches: Batches
  readonly snapshot: Snapshot | undefined
}

/** The variable that a caller asks for. */
interface CacheQuery {
  readonly stageRef: StageRef
  readonly name: string
  readonly roll: AskedRoll
  /** The roll under which the cache keeps the answer. */
  readonly cached: AskedRoll
  readonly stage: StageRevision
}

export class Cache {
  readonly #revisions: Revisions
  readonly #batches: Batches
  readonly #now: () => number
  readonly #ttlMs: number
  readonly #entries: Entries
  readonly #outages: Outages | undefined
  readonly #snapshot: SnapshotKeeper | undefined

  constructor(parts: CacheParts, { ttlMs = 30_000, maxEntries = 10_000, stale = true }: CacheOptions) {
    const { host, url, closing } = parts.connection
    this.#revisions = parts.revisions
    this.#batches = parts.batches
    this.#now = () => host.now()
    this.#ttlMs = ttlMs
    this.#entries = new Entries(maxEntries)
    this.#outages = stale ? new Outages(host) : undefined
    this.#snapshot = parts.snapshot && new SnapshotKeeper(parts.snapshot, this.#entries, { host, url, closing })
  }

  /** Returns a value from the cache or from the service. Throws RollkeyError. */
  async find(stageRef: StageRef, name: string, roll: AskedRoll): Promise<Lookup> {
    await this.#snapshot?.load()
    const stage = this.#revisions.of(stageRef)
    const cached = stage.relevant(name, roll)
    const query: CacheQuery = { stageRef, name, roll, cached, stage }
    const old = this.#entries.find(stageRef, name, cached)
    if (!old) return this.#evaluate(query)
    if (this.#isFresh(old, query.stage)) return asLookup(old, 'cache')
    const revalidate = (): Promise<Lookup> => this.#revalidate(query, old)
    return this.#outages
      ? this.#outages.renewOrStale(query.stage, revalidate, () => asLookup(old, 'stale'))
      : revalidate()
  }

  /** Forgets a stage after a write. `revision` is the one that the write made, if its answer arrived. */
  forget(stageRef: StageRef, revision: number | undefined): void {
    this.#revisions.renew(stageRef, revision)
    this.#entries.forget(stageRef)
  }

  /** Returns whether the value needs no revalidation. Compares absolute differences, since a clock can be set back. */
  #isFresh({ revision, atMs }: Entry, stage: StageRevision): boolean {
    const isRecent = (timeMs: number): boolean => Math.abs(this.#now() - timeMs) < this.#ttlMs
    return revision === stage.revision && (isRecent(atMs) || isRecent(stage.checkedAtMs))
  }

  async #revalidate(query: CacheQuery, old: Entry): Promise<Lookup> {
    const { stage } = query
    // A value that is known to be outdated needs no check of the manifest.
    if (old.revision === stage.revision) await stage.check()
    return old.revision === stage.revision ? asLookup(old, 'cache') : this.#evaluate(query)
  }

  async #evaluate({ stageRef, name, roll, cached, stage }: CacheQuery): Promise<Lookup> {
    const before = { revision: stage.revision, atMs: this.#now() }
    const outcome = await this.#batches.evaluate(stageRef, name, roll).catch(asNotFound)
    const entry: Entry = { outcome, ...before }
    // If a write has reset the stage since, this value may be older than the write.
    if (this.#revisions.of(stageRef) === stage) {
      this.#entries.put(stageRef, name, cached, entry)
      this.#snapshot?.changed()
    }
    return asLookup(entry, 'service')
  }
}

/** Returns the error if the cache may keep it. Throws any other. */
function asNotFound(error: unknown): EvaluatedVariable | RollkeyError {
  if (error instanceof RollkeyError && error.code === 'VARIABLE_NOT_FOUND') return error
  throw error
}
