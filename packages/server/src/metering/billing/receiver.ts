/**
 * The port to an external billing system. The service sends it each usage report at least once, each time with the same id
 * and the same content. `test/metering/billing-receiver.suite.ts` defines what an adapter must do.
 */

/** Units that an organization used in a UTC month since the previous report. */
export interface UsageReport {
  /** `<orgId>.<period>.<from>-<to>`: ranges of the month's count that never overlap. */
  readonly id: string
  readonly orgId: string
  /** Slug of the organization. */
  readonly organization: string
  /** The organization's id at the billing system, if set. */
  readonly customer: string | null
  /** UTC month, YYYY-MM. */
  readonly period: string
  readonly units: number
  /** A time within the period. */
  readonly atMs: number
}

/**
 * `delivered`: received now or earlier; `refused`: not accepted, and a retry would not be accepted either; `not-received`:
 * certainly not received, so a retry makes sense; `unknown`: possibly received. `reason` is short, for the operator, and
 * contains no secret.
 */
export type Outcome = { readonly kind: 'delivered' } | Failure

export interface Failure {
  readonly kind: 'refused' | 'not-received' | 'unknown'
  readonly reason: string
}

export interface BillingReceiver {
  /** How long the receiver recognizes the id of a report that it has received. */
  readonly recognizesMs: number
  /** Whether it accepts usage only for organizations that have a customer id. */
  readonly needsCustomer: boolean
  /** Sends a report. Never throws. Gives up when the signal aborts. */
  send(report: UsageReport, signal: AbortSignal): Promise<Outcome>
}
