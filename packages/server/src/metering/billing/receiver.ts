/**
 * The port to a billing system outside: it is told of usage, at least once, each time under the same id and with the same
 * content. What an adapter must do is in `test/metering/billing-receiver.suite.ts`.
 */

/** Units that an organization used in a UTC month, after those of the reports before. */
export interface UsageReport {
  /** `<orgId>.<period>.<from>-<to>`: ranges of the month's count that never overlap. */
  readonly id: string
  readonly orgId: string
  /** Its slug. */
  readonly organization: string
  /** Its id at the billing system, if it was set. */
  readonly customer: string | null
  /** YYYY-MM. */
  readonly period: string
  readonly units: number
  /** Within the period. */
  readonly atMs: number
}

/**
 * `delivered`: now or before; `refused`: not taken, nor would it be the next time; `not-received`: surely not, worth
 * another try; `unknown`: perhaps. `reason` is short, for the operator, and holds nothing secret.
 */
export type Outcome = { readonly kind: 'delivered' } | Failure

export interface Failure {
  readonly kind: 'refused' | 'not-received' | 'unknown'
  readonly reason: string
}

export interface BillingReceiver {
  /** So long it recognizes the id of a report that it has got. */
  readonly recognizesMs: number
  /** Whether it can take usage only of organizations that have a customer's id. */
  readonly needsCustomer: boolean
  /** Never throws. Gives up at the signal. */
  send(report: UsageReport, signal: AbortSignal): Promise<Outcome>
}
