/**
 * The meter port. Evaluations are charged one event at a time; storage of a write goes reserve → (rows) → settle, or
 * release if the write fails. `test/metering/meter.suite.ts` defines what an implementation must do.
 */
import type { ReadSet } from '../consistency/read-set.ts'
import type { Tx } from '../storage/sql.ts'
import type { BillingEvent, UsageCaller } from '../storage/usage.ts'

/** `counted`: one unit more; `repeated`: the key was counted before; `refused`: over the limit, nothing counted. */
export type ChargeResult = 'counted' | 'repeated' | 'refused'

/** The owner of an event, and its idempotency key. */
export type UsageEvent = UsageCaller & Pick<BillingEvent, 'requestKey'>

/** Growth of an organization's storage that is reserved but not yet final. */
export interface Reservation {
  readonly orgId: string
  readonly bytes: number
}

export interface Counter {
  /**
   * Charges an event. Resolves when the reads are validated and the result survives kill -9. Throws StoreUnavailable if
   * either is impossible, and StaleRead, with nothing counted, if the request read something that has changed.
   */
  charge(event: BillingEvent, reads: ReadSet): Promise<ChargeResult>
}

export interface Meter extends Counter {
  /**
   * Reserves growth of storage in the write's own transaction; negative growth always passes. Returns undefined if the
   * organization would exceed its limit.
   */
  reserve(tx: Tx, orgId: string, bytes: number): Promise<Reservation | undefined>
  /** Makes a reservation final after the write has committed. */
  settle(reservation: Reservation): void
  /** Ends a reservation after the write was rolled back. */
  release(reservation: Reservation): void
}
