import { ApiError } from '../base/api-error.ts'
import { ReadSet } from './read-set.ts'

/** Counter of database reads. A read that begins after a request arrived has a later time than the request. */
export interface LogicalClock {
  readonly now: number
  /** The time until which reads are void, because they were from another database; -Infinity if there was none. */
  readonly voidUpTo: number
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
export const singleWriter: ReadValidator = {
  logicalClock: { now: 0, voidUpTo: -Infinity, next: () => Infinity },
  validate: () => true,
}

/** Thrown when something that a request read from memory is stale. The request starts over. */
export class StaleRead extends Error {}

/**
 * Repeats the work with a read set until the reads are validated. Returns the last result, or throws the last error: a
 * refusal also follows from what was read, so the read set of an ApiError is validated too.
 */
export async function retryUntilFresh<T>(
  validator: ReadValidator,
  work: (reads: ReadSet) => T | Promise<T>,
  reads = new ReadSet(validator.logicalClock.now),
): Promise<T> {
  for (;;) {
    try {
      const result = await work(reads)
      if (reads.isValidated || (await validator.validate(reads))) return result
    } catch (error) {
      if (error instanceof StaleRead) continue
      if (!(error instanceof ApiError) || reads.isValidated || (await validator.validate(reads))) throw error
    }
  }
}
