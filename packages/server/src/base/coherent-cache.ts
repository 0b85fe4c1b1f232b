import { LRUCache } from 'lru-cache'
import { soleWriter, noClaims, type ClaimKind, type Held, type Moments } from './claims.ts'

interface Options<Entry> {
  /** Most units kept; the least recently used go first. */
  readonly most: number
  /** Units of an entry, 1 unless told. */
  readonly sizeOf?: (entry: Entry) => number
  /** What an entry is to the claims of a request; undefined: it never changes. */
  readonly kind?: ClaimKind
  readonly moments?: Moments
}

interface Loading<Entry> {
  readonly entry: Promise<Entry | undefined>
  readonly asOf: number
}

/**
 * Rows of the store kept in memory, never older than the last change that this process acknowledged: whoever commits a
 * change calls `forget` before it answers. What another process may have changed is noted in the claims of the request.
 * Those who ask while a load is under way share it; a load that began before a `forget` still serves them, but is neither
 * kept nor shared any more, since it may hold what was just changed.
 */
export class CoherentCache<Entry extends object> {
  readonly #held: LRUCache<string, Held<Entry>>
  readonly #loading = new Map<string, Loading<Entry>>()
  readonly #kind: ClaimKind | undefined
  readonly #moments: Moments

  constructor({ most, sizeOf = () => 1, kind, moments = soleWriter.moments }: Options<Entry>) {
    this.#held = new LRUCache({ maxSize: most, sizeCalculation: ({ entry }) => Math.max(1, sizeOf(entry)) })
    this.#kind = kind
    this.#moments = moments
  }

  /** The entry, as a promise only when it has to be read; undefined (never kept) if there is none. */
  get(key: string, read: () => Promise<Entry | undefined>, claims = noClaims): Entry | Promise<Entry | undefined> {
    const entry = this.peek(key, claims)
    if (entry) return entry
    const loading = this.#loading.get(key)
    // One that began before the request arrived may miss what was acknowledged in between.
    return loading && loading.asOf > claims.arrivedAt ? loading.entry : this.#load(key, read)
  }

  /** The entry if it is in memory. */
  peek(key: string, claims = noClaims): Entry | undefined {
    const held = this.#held.get(key)
    if (held && this.#kind && held.asOf <= claims.arrivedAt) claims[this.#kind] = held as never
    return held?.entry
  }

  #load(key: string, read: () => Promise<Entry | undefined>): Promise<Entry | undefined> {
    const asOf = this.#moments.next()
    const entry = read()
      .then((found) => {
        if (found && this.#loading.get(key) === loading) this.#hold(key, found, asOf)
        return found
      })
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key)
      })
    const loading = { entry, asOf }
    this.#loading.set(key, loading)
    return entry
  }

  #hold(key: string, entry: Entry, asOf: number): void {
    const held: Held<Entry> = {
      entry,
      asOf,
      forget: () => {
        if (this.#held.peek(key) === held) this.#held.delete(key)
      },
    }
    this.#held.set(key, held)
  }

  forget(key: string): void {
    this.#held.delete(key)
    this.#loading.delete(key)
  }

  /** For a change that concerns entries whose keys the caller does not know. */
  forgetWhere(concerned: (entry: Entry) => boolean): void {
    for (const [key, { entry }] of this.#held.entries()) if (concerned(entry)) this.#held.delete(key)
    this.#loading.clear()
  }
}
