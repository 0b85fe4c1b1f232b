/**
 * Rows of the store in memory. A request never gets a row that is older than the last change that this process acknowledged
 * before the request arrived. What another process may have changed since is a claim of the request (`reads.ts`).
 *
 * 1. A change calls `forget` or `replace` after its commit and before its answer, so memory has no row from before it.
 * 2. A key has at most one load at a time, however many requests want the row. They share the load that is under way: if it
 *    began before a request arrived, its row is a claim of the request like a row that was in memory.
 * 3. A load that began before a `forget` may miss the change. It serves the requests that joined it before, and its row is
 *    not kept. Requests that come after the `forget` wait for its end and share the next load.
 * 4. A claim cannot confirm that there is no row. A request takes this answer only from a load that began after the
 *    request arrived, and otherwise shares the next load.
 * 5. A load that fails fails for all who wait for it, also for the next one: they have waited as long as a request may.
 */
import { LRUCache } from 'lru-cache'
import { singleWriter, noReads, type ReadKind, type ReadSet, type CacheEntry, type LogicalClock } from './read-set.ts'

interface Options<Entry> {
  /** Most units kept; the least recently used go first. */
  readonly most: number
  /** Units of an entry. @default 1 */
  readonly sizeOf?: (entry: Entry) => number
  /** What an entry is to the reads of a request; undefined: it never changes. */
  readonly kind?: ReadKind
  readonly logicalClock?: LogicalClock
}

interface Load<Entry> {
  readonly asOf: number
  readonly found: Promise<CacheEntry<Entry> | undefined>
  /** It may miss a change that was acknowledged since it began. */
  isOutdated: boolean
}

export class CoherentCache<Entry extends object> {
  readonly #held: LRUCache<string, CacheEntry<Entry>>
  readonly #loads = new Map<string, Load<Entry>>()
  readonly #kind: ReadKind | undefined
  readonly #logicalClock: LogicalClock

  constructor({ most, sizeOf = () => 1, kind, logicalClock = singleWriter.logicalClock }: Options<Entry>) {
    this.#held = new LRUCache({ maxSize: most, sizeCalculation: ({ entry }) => Math.max(1, sizeOf(entry)) })
    this.#kind = kind
    this.#logicalClock = logicalClock
  }

  /** The entry, as a promise only when it has to be read; undefined (never kept) if there is none. */
  get(key: string, read: () => Promise<Entry | undefined>, reads = noReads): Entry | Promise<Entry | undefined> {
    return this.peek(key, reads) ?? this.#loaded(key, read, reads)
  }

  /** The entry if it is in memory. */
  peek(key: string, reads = noReads): Entry | undefined {
    const held = this.#held.get(key)
    return held && this.#take(held, reads)
  }

  #take(held: CacheEntry<Entry>, reads: ReadSet): Entry {
    if (this.#kind && held.asOf <= reads.arrivedAt) reads[this.#kind] = held as never
    return held.entry
  }

  async #loaded(key: string, read: () => Promise<Entry | undefined>, reads: ReadSet): Promise<Entry | undefined> {
    for (;;) {
      const load = this.#loads.get(key) ?? this.#load(key, read)
      const { isOutdated } = load
      const held = await load.found
      if (held && !isOutdated) return this.#take(held, reads)
      if (!isOutdated && load.asOf > reads.arrivedAt) return undefined
      const entry = this.peek(key, reads)
      if (entry) return entry
    }
  }

  #load(key: string, read: () => Promise<Entry | undefined>): Load<Entry> {
    const asOf = this.#logicalClock.next()
    const found = read()
      .then((entry) => {
        const held = entry && this.#heldOf(key, entry, asOf)
        if (held && !load.isOutdated) this.#held.set(key, held)
        return held
      })
      .finally(() => this.#loads.delete(key))
    const load: Load<Entry> = { asOf, found, isOutdated: false }
    this.#loads.set(key, load)
    return load
  }

  #heldOf(key: string, entry: Entry, asOf: number): CacheEntry<Entry> {
    const held: CacheEntry<Entry> = {
      entry,
      asOf,
      forget: () => {
        if (this.#held.peek(key) === held) this.#held.delete(key)
      },
    }
    return held
  }

  forget(key: string): void {
    this.#held.delete(key)
    const load = this.#loads.get(key)
    if (load) load.isOutdated = true
  }

  /** Keeps what a change has made of the entry; `asOf`: a moment of before its commit. */
  replace(key: string, entry: Entry, asOf: number): void {
    this.forget(key)
    this.#held.set(key, this.#heldOf(key, entry, asOf))
  }

  /** For a change that concerns entries whose keys the caller does not know. */
  forgetWhere(concerned: (entry: Entry) => boolean): void {
    for (const [key, { entry }] of this.#held.entries()) if (concerned(entry)) this.#held.delete(key)
    for (const load of this.#loads.values()) load.isOutdated = true
  }
}
