/**
 * Optimistic concurrency control. A request reads from memory, although another node may have changed the data, and
 * records what it read in a read set. Before the request has any result (an answer, a refusal or an effect), the read
 * set is validated by a database read that began after the request arrived (`metering/rounds.ts`). If validation fails,
 * the request starts over.
 */

/** An entry of a cache. */
export interface CacheEntry<Entry> {
  readonly entry: Entry
  /** Logical time at which, or after which, the database had this state; Infinity if no other process writes. */
  asOf: number
  /** Removes the entry from its cache. */
  forget(): void
}

/** Counter of database reads. A read that begins after a request arrived has a later time than the request. */
export interface LogicalClock {
  readonly now: number
  /** Returns the time of a database read that begins now. */
  next(): number
}

/** Validator of what requests read from memory. */
export interface ReadValidator {
  readonly logicalClock: LogicalClock
  /**
   * Returns true if everything that the request read from memory is still current. Removes stale entries from their
   * caches. Throws StoreUnavailable.
   */
  validate(reads: ReadSet): boolean | Promise<boolean>
}

/** The validator of a process that is the only writer: its memory is always current. */
export const singleWriter: ReadValidator = { logicalClock: { now: 0, next: () => Infinity }, validate: () => true }

export type ReadKind = 'stage' | 'session' | 'member'

export class ReadSet {
  readonly arrivedAt: number
  stage: CacheEntry<{ readonly stageId: string; readonly revision: number }> | undefined
  session: CacheEntry<{ readonly id: string }> | undefined
  member: CacheEntry<{ readonly orgId: string; readonly userId: string }> | undefined

  constructor(arrivedAt: number) {
    this.arrivedAt = arrivedAt
  }

  get isValidated(): boolean {
    return this.stage === undefined && this.session === undefined && this.member === undefined
  }

  /** Empties the read set, because it was validated or because the request does not use what it read. */
  markValidated(): void {
    this.stage = undefined
    this.session = undefined
    this.member = undefined
  }
}

/** The read set of data that never changes. */
export const noReads: ReadSet = new ReadSet(-Infinity)

/** Thrown when something that a request read from memory is stale. The request starts over. */
export class StaleRead extends Error {}
