/**
 * The outbox of an external billing system (docs/decisions/0009-billing-outbox.md). It turns the usage that is counted but
 * not reported into reports, stores them under their ids, and then sends them. Several nodes share the work, and no request
 * of a client waits for it.
 */
import { backoffMs } from '../../base/backoff.ts'
import { endOfMonth, type Clock } from '../../base/clock.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import * as store from '../../storage/billing.ts'
import type { ReportRow, UnreportedRow } from '../../storage/billing.ts'
import type { Sql } from '../../storage/sql.ts'
import type { PendingUsage } from '../pending-usage.ts'
import type { BillingReceiver, Failure, Outcome } from './receiver.ts'

const intervalMs = 60_000
/** Maximum reports sent at once. They are leased and recorded together. */
const batchSize = 8
const timeoutMs = 10_000
/** How long a node leases reports. It is enough to send them and to record the outcome. */
const leaseMs = 60_000
const backoff = { firstMs: 60_000, maxMs: 60 * 60_000 }
/** How long before the receiver may forget an id the service stops sending the report. */
const recognizedMarginMs = 60 * 60_000
/** How long a stop waits for reports that are being sent. */
const graceMs = 3_000

/** Values for /metrics: attempts since the start, and open reports after the last round. */
export interface OutboxMetrics extends Record<Outcome['kind'] | 'unclear', number> {
  pending: number
  setAside: number
  oldestPendingAtMs: number | undefined
}

export interface OutboxParts {
  readonly sql: Sql
  readonly pending: PendingUsage
  readonly receiver: BillingReceiver
  readonly clock: Clock
  readonly log: Log
  /** Returns a random number from 0 to 1, which varies how long a failed report waits. */
  readonly random: () => number
  readonly timeoutMs?: number
}

export class Outbox {
  readonly #sql: Sql
  readonly #receiver: BillingReceiver
  readonly #clock: Clock
  readonly #log: Log
  readonly #random: () => number
  readonly #timeoutMs: number
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  #isStopping = false
  readonly metrics: OutboxMetrics = {
    delivered: 0,
    refused: 0,
    'not-received': 0,
    unknown: 0,
    unclear: 0,
    pending: 0,
    setAside: 0,
    oldestPendingAtMs: undefined,
  }

  private constructor(parts: OutboxParts) {
    this.#sql = parts.sql
    this.#receiver = parts.receiver
    this.#clock = parts.clock
    this.#log = parts.log
    this.#random = parts.random
    this.#timeoutMs = parts.timeoutMs ?? timeoutMs
  }

  /** Opens the outbox. Billing of a store begins with its first outbox. */
  static async open(parts: OutboxParts): Promise<Outbox> {
    await parts.pending.fold()
    const isFirst = await parts.sql.tx((tx) => store.beginBilling(tx, parts.clock.now()))
    if (isFirst) parts.log.info('external billing begins; earlier usage is not reported')
    return new Outbox(parts)
  }

  /** Runs a round now and every minute. */
  start(): void {
    const round = (): void => {
      this.round().catch((error: unknown) => {
        this.#log.warn('usage could not be reported and will be retried', { reason: reasonOf(error) })
      })
    }
    this.#timer = setInterval(round, intervalMs).unref()
    round()
  }

  /** Stops. Waits until each report that is being sent has an outcome, or is left to be sent again under the same id. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isStopping = true
    const abortTimer = setTimeout(() => this.#abort.abort(), graceMs)
    await this.#round?.catch(() => undefined)
    clearTimeout(abortTimer)
  }

  /** Creates reports of new usage and sends the reports that are due. Returns the current round if one is running. */
  round(): Promise<void> {
    this.#round ??= this.#work().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  async #work(): Promise<void> {
    try {
      await this.#createReports()
    } finally {
      // A failure to create reports does not keep existing reports from being sent.
      while (!this.#isStopping && (await this.#sendBatch())) continue
      await this.#updateOpenReports()
    }
  }

  async #createReports(): Promise<void> {
    for (const usage of await store.unreportedUsage(this.#sql, this.#receiver.needsCustomer)) {
      if (this.#isStopping) return
      await this.#createReport(usage)
    }
  }

  async #createReport({ org_id: orgId, period, used, reported, customer }: UnreportedRow): Promise<void> {
    const nowMs = this.#clock.now()
    const report = {
      id: `${orgId}.${period}.${reported}-${used}`,
      orgId,
      period,
      units: used - reported,
      atMs: Math.min(nowMs, endOfMonth(period)),
      customer,
      nowMs,
    }
    await this.#sql.tx(async (tx) => {
      if (!(await store.claimUnreported(tx, { orgId, period, from: reported, to: used }))) return
      await store.insertReport(tx, report)
    })
  }

  /** Sends some of the due reports. Returns false if none was due. */
  async #sendBatch(): Promise<boolean> {
    const leasedAtMs = this.#clock.now()
    const leased = await this.#lease(leasedAtMs)
    const outcomes = await Promise.all(leased.map((row) => this.#send(row)))
    if (leased.length > 0) {
      await this.#sql.tx(async (tx) => {
        for (const [index, row] of leased.entries()) {
          const outcome = outcomes[index] as Outcome
          if (outcome.kind === 'delivered') await store.recordDelivery(tx, row.id, this.#clock.now())
          else await store.recordFailure(tx, row, this.#failureRecord(row, outcome, leasedAtMs))
        }
      })
      this.#logOutcomes(leased, outcomes)
    }
    return leased.length > 0
  }

  async #lease(nowMs: number): Promise<ReportRow[]> {
    const { recognizesMs } = this.#receiver
    const firstSentBeforeMs = nowMs - recognizesMs + recognizedMarginMs
    const [unclear, leased] = await this.#sql.tx(async (tx) => [
      recognizesMs === Infinity ? [] : await store.setAsideUnclear(tx, { nowMs, firstSentBeforeMs }),
      await store.leaseReports(tx, { nowMs, untilMs: nowMs + leaseMs, limit: batchSize }),
    ])
    this.metrics.unclear += unclear.length
    for (const { id, org_id: orgId } of unclear) {
      this.#log.warn('the outcome of a usage report is unknown: see the command billing status', {
        name: id,
        orgId,
      })
    }
    return leased
  }

  #send(row: ReportRow): Promise<Outcome> {
    const { id, org_id: orgId, organization, customer, period, units, at_ms: atMs } = row
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(this.#timeoutMs)])
    return this.#receiver.send({ id, orgId, organization, customer, period, units, atMs }, signal)
  }

  #failureRecord(row: ReportRow, outcome: Failure, leasedAtMs: number) {
    // A `not-received` of this attempt says nothing about earlier attempts.
    const isFirst = row.first_sent_at_ms === leasedAtMs
    return {
      state: outcome.kind === 'refused' ? 'refused' : 'pending',
      nextAttemptAtMs: this.#clock.now() + backoffMs(row.attempts - 1, this.#random(), backoff),
      firstSentAtMs: isFirst && outcome.kind !== 'unknown' ? null : row.first_sent_at_ms,
      failure: outcome.reason,
    } as const
  }

  #logOutcomes(leased: readonly ReportRow[], outcomes: readonly Outcome[]): void {
    const failures: string[] = []
    for (const [index, { id, org_id: orgId }] of leased.entries()) {
      const outcome = outcomes[index] as Outcome
      this.metrics[outcome.kind]++
      if (outcome.kind === 'delivered') continue
      const { kind, reason } = outcome
      if (kind !== 'refused') failures.push(reason)
      else this.#log.warn('a usage report was refused: see the command billing status', { name: id, orgId, reason })
    }
    const [reason] = failures
    if (reason === undefined) return
    this.#log.warn('usage reports were not accepted and will be sent again', { count: failures.length, reason })
  }

  async #updateOpenReports(): Promise<void> {
    const open = await store.countOpenReports(this.#sql)
    const pending = open.find(({ state }) => state === 'pending')
    this.metrics.pending = pending?.reports ?? 0
    this.metrics.oldestPendingAtMs = pending?.oldest_at_ms
    this.metrics.setAside = open.reduce((sum, { state, reports }) => sum + (state === 'pending' ? 0 : reports), 0)
  }
}
