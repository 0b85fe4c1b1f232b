/**
 * What a request has taken from memory although another node may have changed it meanwhile. Before anything of it
 * leaves, an answer, a refusal or an effect, one look at the database that began after the request arrived must confirm
 * it (`storage/rounds.ts`); otherwise the request starts over.
 */

/** An entry of a cache. */
export interface CacheEntry<Entry> {
  readonly entry: Entry
  /** The entry was so in the database at this moment or later; Infinity where nobody else writes. */
  asOf: number
  /** Takes it out of its cache. */
  forget(): void
}

/** Counts the looks at the database: one that begins after a request arrived has a later moment than the request. */
export interface LogicalClock {
  readonly now: number
  /** For a look at the database that begins now. */
  next(): number
}

/** Who confirms what requests took from memory. */
export interface ReadValidator {
  readonly logicalClock: LogicalClock
  /** True if all that the request took from memory is confirmed; what is not is forgotten. Throws StoreUnavailable. */
  validate(reads: ReadSet): boolean | Promise<boolean>
}

/** Of a process that is the only one to write: what it knows is always so. */
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

  /** All are confirmed, or what was done with them is not used. */
  markValidated(): void {
    this.stage = undefined
    this.session = undefined
    this.member = undefined
  }
}

/** For what never changes. */
export const noReads: ReadSet = new ReadSet(-Infinity)

/** Thrown when something that a request took from memory turned out to be outdated: start over. */
export class StaleRead extends Error {}
