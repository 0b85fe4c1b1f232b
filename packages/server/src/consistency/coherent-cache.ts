/**
 * Caches rows of the store in memory. A request never gets a row that is older than the last change that this process
 * acknowledged before the request arrived. Another process may have changed the row since, so the cache adds the row to
 * the request's read set (`read-set.ts`), which is validated later.
 *
 * 1. A change calls `forget` or `replace` after its commit and before its answer, so memory has no row from before it.
 * 2. A key has at most one load at a time, however many requests want the row. They share the load in progress. If the
 *    load began before a request arrived, its row goes into the request's read set, like a row that was in memory.
 * 3. A load that began before a `forget` may miss the change. It serves the requests that joined it before the `forget`,
 *    and its row is not kept. Requests that come after the `forget` wait for it to end and share the next load.
 * 4. Validation cannot confirm that a row does not exist. A request takes this answer only from a load that began after
 *    the request arrived, and otherwise shares the next load.
 * 5. A load that fails fails for all requests that wait for it, including those that wait for the next load: they have
 *    waited as long as a request may.
 * 6. Once the database was replaced, by a failover or a restore, nothing that was read before counts (`voidUpTo`).
 */
import { LRUCache } from 'lru-cache'
import type { CacheEntry, ReadKind, ReadSet } from './read-set.ts'
import { singleWriter, type LogicalClock } from './read-validator.ts'

interface Options<Entry> {
  /** Maximum units kept. The least recently used entries are evicted first. */
  readonly max: number
  /** Returns the units of an entry. @default 1 */
  readonly sizeOf?: (entry: Entry) => number
  /** The slot of the read set that an entry fills; undefined if entries never change and need no validation. */
  readonly kind?: ReadKind
  readonly logicalClock?: LogicalClock
}

interface Load<Entry> {
  readonly asOf: number
  readonly result: Promise<CacheEntry<Entry> | undefined>
  /** Whether it may miss a change that was acknowledged since it began. */
  isStale: boolean
}

export class CoherentCache<Entry extends object> {
  readonly #entries: LRUCache<string, CacheEntry<Entry>>
  readonly #loads = new Map<string, Load<Entry>>()
  readonly #kind: ReadKind | undefined
  readonly #logicalClock: LogicalClock

  constructor({ max, sizeOf = () => 1, kind, logicalClock = singleWriter.logicalClock }: Options<Entry>) {
    this.#entries = new LRUCache({ maxSize: max, sizeCalculation: ({ entry }) => Math.max(1, sizeOf(entry)) })
    this.#kind = kind
    this.#logicalClock = logicalClock
  }

  /** Returns the entry, as a promise only if it has to be loaded; undefined, which is never cached, if there is none. */
  get(key: string, read: () => Promise<Entry | undefined>, reads: ReadSet): Entry | Promise<Entry | undefined> {
    return this.peek(key, reads) ?? this.#loaded(key, read, reads)
  }

  /** Returns the entry if it is in memory. */
  peek(key: string, reads: ReadSet): Entry | undefined {
    const cached = this.#entries.get(key)
    return cached && !this.#isVoid(cached) ? this.#take(cached, reads) : undefined
  }

  /** Returns whether what was read as of this time is from another database. */
  #isVoid({ asOf }: { readonly asOf: number }): boolean {
    return asOf <= this.#logicalClock.voidUpTo
  }

  #take(cached: CacheEntry<Entry>, reads: ReadSet): Entry {
    if (this.#kind) reads.record(this.#kind, cached)
    return cached.entry
  }

  async #loaded(key: string, read: () => Promise<Entry | undefined>, reads: ReadSet): Promise<Entry | undefined> {
    for (;;) {
      const load = this.#loads.get(key) ?? this.#load(key, read)
      const { isStale } = load
      const cached = await load.result
      if (this.#isVoid(load)) continue
      if (cached && !isStale) return this.#take(cached, reads)
      if (!isStale && load.asOf > reads.arrivedAt) return undefined
      const entry = this.peek(key, reads)
      if (entry) return entry
    }
  }

  #load(key: string, read: () => Promise<Entry | undefined>): Load<Entry> {
    const asOf = this.#logicalClock.next()
    const result = read()
      .then((entry) => {
        const cached = entry && this.#entryOf(key, entry, asOf)
        if (cached && !load.isStale) this.#entries.set(key, cached)
        return cached
      })
      .finally(() => this.#loads.delete(key))
    const load: Load<Entry> = { asOf, result, isStale: false }
    this.#loads.set(key, load)
    return load
  }

  #entryOf(key: string, entry: Entry, asOf: number): CacheEntry<Entry> {
    const cached: CacheEntry<Entry> = {
      entry,
      asOf,
      forget: () => {
        if (this.#entries.peek(key) === cached) this.#entries.delete(key)
      },
    }
    return cached
  }

  forget(key: string): void {
    this.#entries.delete(key)
    const load = this.#loads.get(key)
    if (load) load.isStale = true
  }

  /** Forgets an entry that turned out stale, unless another one has replaced it: those who find that together read it again once. */
  forgetStale(key: string, entry: Entry): void {
    if (this.#entries.peek(key)?.entry === entry) this.#entries.delete(key)
  }

  /** Replaces the entry with its state after a change. `asOf` is a time of the logical clock before the commit. */
  replace(key: string, entry: Entry, asOf: number): void {
    this.forget(key)
    this.#entries.set(key, this.#entryOf(key, entry, asOf))
  }

  /** Forgets all entries that match, after a change of entries whose keys the caller does not know. */
  forgetWhere(matches: (entry: Entry) => boolean): void {
    for (const [key, { entry }] of this.#entries.entries()) if (matches(entry)) this.#entries.delete(key)
    for (const load of this.#loads.values()) load.isStale = true
  }
}
