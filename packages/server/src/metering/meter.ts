/**
 * The meter port. Evaluations are charged one event at a time; storage of a write goes reserve → (rows) → settle, or
 * release if the write fails (specification, "POST /v1/env/write", processing rules). What an implementation must do is
 * in `test/metering/meter.suite.ts`.
 */
import type { ReadSet } from '../consistency/read-set.ts'
import type { Tx } from '../storage/sql.ts'
import type { BillingEvent, UsageCaller } from '../storage/usage.ts'

/**
 * `counted`: one unit more; `repeated`: the key was counted before; `refused`: over the limit, nothing counted;
 * `outdated`: what the request took from memory has changed, nothing counted.
 */
export type ChargeResult = 'counted' | 'repeated' | 'refused' | 'outdated'

/** Whose event it is, and by which idempotency key. */
export type UsageEvent = UsageCaller & Pick<BillingEvent, 'requestKey'>

/** What is decided about an event of a request that is current. */
export type FinalChargeResult = Exclude<ChargeResult, 'outdated'>

/** Growth of an organization's storage that is booked but not yet final. */
export interface Reservation {
  readonly orgId: string
  readonly bytes: number
}

export interface Counter {
  /**
   * Resolves when the outcome is durable over kill -9, and the reads are confirmed. Throws StoreUnavailable if it cannot
   * be made so.
   */
  charge(event: BillingEvent, reads: ReadSet): Promise<ChargeResult>
}

export interface Meter extends Counter {
  /** Books growth (negative: shrinkage, which always passes) in the write's own transaction; undefined: over the limit. */
  reserve(tx: Tx, orgId: string, bytes: number): Promise<Reservation | undefined>
  /** The write is committed. */
  settle(reservation: Reservation): void
  /** The write is rolled back. */
  release(reservation: Reservation): void
}
