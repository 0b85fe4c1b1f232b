/**
 * The outbox of an external billing system (docs/decisions/0009-billing-outbox.md). It turns the usage that is counted but
 * not reported into reports, stores them under their ids, and then sends them. Several nodes share the work, and no request
 * of a client waits for it.
 */
import { endOfMonth, type Timer } from '../../base/clock.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import { failed, type LeaseParts } from '../../outbox/lease.ts'
import type { Outbox, Sending } from '../../outbox/outbox-worker.ts'
import * as store from '../../storage/billing.ts'
import { reportTable, type ReportRow, type UnreportedRow } from '../../storage/billing.ts'
import { leaseRow, settleRow, type DueRow } from '../../storage/leases.ts'
import type { Tx } from '../../storage/sql.ts'
import type { PendingUsage } from '../pending-usage.ts'
import type { BillingReceiver, Outcome } from './receiver.ts'

const intervalMs = 60_000
const timeoutMs = 10_000
const leaseMs = 60_000
const rules = { table: reportTable, leaseMs, backoff: { firstMs: 60_000, maxMs: 60 * 60_000 } }
/** How long before the receiver may forget an id the service stops sending the report. */
const recognizedMarginMs = 60 * 60_000
/** How long a stop waits for reports that are being sent. */
const graceMs = 3_000

/** Values for /metrics: attempts since the start. */
export interface BillingMetrics extends Record<Outcome['kind'] | 'unclear', number> {}

export interface BillingOutboxParts extends LeaseParts {
  readonly pending: PendingUsage
  readonly receiver: BillingReceiver
  readonly clock: Timer
  readonly log: Log
  readonly timeoutMs?: number
}

export class BillingOutbox implements Outbox<ReportRow> {
  readonly name = 'billing'
  readonly due = reportTable.due
  readonly places = 8
  readonly leaseMs = leaseMs
  readonly durability = 'power'
  readonly #parts: BillingOutboxParts
  /** Reports that are being sent, and why those with them were not accepted. */
  #sending = 0
  #failures: string[] = []
  #endInterval = (): void => {}
  #creation: Promise<void> | undefined
  #isStopping = false
  readonly metrics: BillingMetrics = { delivered: 0, refused: 0, 'not-received': 0, unknown: 0, unclear: 0 }

  private constructor(parts: BillingOutboxParts) {
    this.#parts = parts
  }

  /** Opens the outbox. Billing of a store begins with its first outbox. */
  static async open(parts: BillingOutboxParts): Promise<BillingOutbox> {
    await parts.pending.fold()
    const isFirst = await parts.sql.tx((tx) => store.beginBilling(tx, parts.clock.now()))
    if (isFirst) parts.log.info('external billing begins; earlier usage is not reported')
    return new BillingOutbox(parts)
  }

  /** Creates reports now and every minute. */
  start(): void {
    const { clock, log } = this.#parts
    const create = (): void => {
      this.#creation ??= this.createReports()
        .catch((error: unknown) => {
          log.warn('usage could not be reported and will be retried', { reason: reasonOf(error) })
        })
        .finally(() => (this.#creation = undefined))
    }
    this.#endInterval = clock.every(intervalMs, create)
    create()
  }

  async close(): Promise<void> {
    this.#endInterval()
    this.#isStopping = true
    await this.#creation
  }

  /** Creates reports of new usage. */
  async createReports(): Promise<void> {
    const { sql, receiver } = this.#parts
    for (const usage of await store.unreportedUsage(sql, receiver.needsCustomer)) {
      if (this.#isStopping) return
      await this.#createReport(usage)
    }
  }

  async #createReport({ org_id: orgId, period, used, reported, customer }: UnreportedRow): Promise<void> {
    const { sql, clock } = this.#parts
    const nowMs = clock.now()
    const report = {
      id: `${orgId}.${period}.${reported}-${used}`,
      orgId,
      period,
      units: used - reported,
      atMs: Math.min(nowMs, endOfMonth(period)),
      customer,
      nowMs,
    }
    await sql.tx(async (tx) => {
      if (!(await store.claimUnreported(tx, { orgId, period, from: reported, to: used }))) return
      await store.insertReport(tx, report)
    })
  }

  /**
   * Marks the report as possibly sent, because a process can end between sending it and recording its outcome. Returns it with what was
   * recorded before.
   */
  async lease(tx: Tx, due: DueRow, untilMs: number): Promise<ReportRow | undefined> {
    const row = await leaseRow<ReportRow>(tx, reportTable, due, untilMs)
    if (row?.first_sent_at_ms === null) await settleRow(tx, reportTable, row, { first_sent_at_ms: untilMs - leaseMs })
    return row
  }

  async send(row: ReportRow, sending: Sending): Promise<boolean> {
    const { receiver, clock, log } = this.#parts
    const { id, org_id: orgId, first_sent_at_ms: firstSentAtMs } = row
    if ((firstSentAtMs ?? Infinity) < clock.now() - receiver.recognizesMs + recognizedMarginMs) {
      await this.#settle(row, { state: 'unclear' })
      this.metrics.unclear++
      log.warn('the outcome of a usage report is unknown: see the command billing status', { name: id, orgId })
      return true
    }
    this.#sending++
    try {
      await this.#record(row, await this.#post(row, sending))
    } finally {
      this.#sending--
    }
    const [reason] = this.#failures
    if (this.#sending > 0 || reason === undefined) return true
    log.warn('usage reports were not accepted and will be sent again', { count: this.#failures.length, reason })
    this.#failures = []
    return true
  }

  async #post(row: ReportRow, { signal, turn }: Sending): Promise<Outcome> {
    const { receiver, timeoutMs: limitMs = timeoutMs } = this.#parts
    const { id, org_id: orgId, organization, customer, period, units, at_ms: atMs } = row
    const stop = new AbortController()
    const ended = AbortSignal.any([stop.signal, AbortSignal.timeout(limitMs)])
    const stopSoon = (): void => void setTimeout(() => stop.abort(), graceMs).unref()
    if (signal.aborted) stopSoon()
    signal.addEventListener('abort', stopSoon, { once: true })
    return turn(() => receiver.send({ id, orgId, organization, customer, period, units, atMs }, ended)).finally(() =>
      signal.removeEventListener('abort', stopSoon),
    )
  }

  async #record(row: ReportRow, outcome: Outcome): Promise<void> {
    const { sql, clock, log } = this.#parts
    this.metrics[outcome.kind]++
    if (outcome.kind === 'delivered') return sql.tx((tx) => store.recordDelivery(tx, row.id, clock.now()))
    const { kind, reason } = outcome
    const { id: name, org_id: orgId } = row
    await this.#settle(row, {
      ...failed(row, reason, this.#parts, rules),
      state: kind === 'refused' ? 'refused' : 'pending',
      // A `not-received` of this attempt says nothing about earlier attempts.
      ...(row.first_sent_at_ms === null && kind !== 'unknown' && { first_sent_at_ms: null }),
    })
    if (kind !== 'refused') this.#failures.push(reason)
    else log.warn('a usage report was refused: see the command billing status', { name, orgId, reason })
  }

  async #settle(row: ReportRow, changes: Parameters<typeof settleRow>[3]): Promise<void> {
    await this.#parts.sql.tx((tx) => settleRow(tx, reportTable, row, changes))
  }
}
