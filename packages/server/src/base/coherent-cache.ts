import { LRUCache } from 'lru-cache'

interface Options<Entry> {
  /** Most units kept; the least recently used go first. */
  readonly most: number
  /** Units of an entry, 1 unless told. */
  readonly sizeOf?: (entry: Entry) => number
}

/**
 * Rows of the store kept in memory, never older than the last acknowledged change: whoever commits a change calls
 * `forget` before it answers. Those who ask while a load is under way share it; a load that began before a `forget`
 * still serves them, but is neither kept nor shared any more, since it may hold what was just changed.
 */
export class CoherentCache<Entry extends object> {
  readonly #entries: LRUCache<string, Entry>
  readonly #loading = new Map<string, Promise<Entry | undefined>>()

  constructor({ most, sizeOf = () => 1 }: Options<Entry>) {
    this.#entries = new LRUCache({ maxSize: most, sizeCalculation: (entry) => Math.max(1, sizeOf(entry)) })
  }

  /** The entry, as a promise only when it has to be read; undefined (never kept) if there is none. */
  get(key: string, read: () => Promise<Entry | undefined>): Entry | Promise<Entry | undefined> {
    return this.#entries.get(key) ?? this.#loading.get(key) ?? this.#load(key, read)
  }

  /** The entry if it is in memory. */
  peek(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  #load(key: string, read: () => Promise<Entry | undefined>): Promise<Entry | undefined> {
    const load = read()
      .then((entry) => {
        if (entry && this.#loading.get(key) === load) this.#entries.set(key, entry)
        return entry
      })
      .finally(() => {
        if (this.#loading.get(key) === load) this.#loading.delete(key)
      })
    this.#loading.set(key, load)
    return load
  }

  forget(key: string): void {
    this.#entries.delete(key)
    this.#loading.delete(key)
  }

  /** For a change that concerns entries whose keys the caller does not know. */
  forgetWhere(concerned: (entry: Entry) => boolean): void {
    for (const [key, entry] of this.#entries.entries()) if (concerned(entry)) this.#entries.delete(key)
    this.#loading.clear()
  }
}
