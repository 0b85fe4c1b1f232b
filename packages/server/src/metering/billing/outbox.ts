/**
 * The outbox of an outside billing system (docs/decisions/0009). What a meter has counted and not yet reported is what
 * the outbox holds; this cuts it into reports that are stored under their ids first, and sends those. Several nodes share
 * the work, and no request of a client waits for it.
 */
import { endOfMonth, type Clock } from '../../base/clock.ts'
import { reasonOf, type Log } from '../../base/log.ts'
import * as store from '../../storage/billing.ts'
import type { ReportRow, UnreportedRow } from '../../storage/billing.ts'
import type { Sql } from '../../storage/sql.ts'
import type { BillingReceiver, Failure, Outcome } from './receiver.ts'

const everyMs = 60_000
/** Reports sent at once; they are taken and recorded together. */
const atOnce = 8
const timeoutMs = 10_000
/** So long nobody else sends what a node has taken. Enough to send it and to record the outcome. */
const leaseMs = 60_000
const leastBackoffMs = 60_000
const maxBackoffMs = 60 * 60_000
/** So much sooner than the receiver may have forgotten an id, it is no longer sent. */
const recognizedMarginMs = 60 * 60_000
/** So long a stop waits for what is being sent. */
const graceMs = 3_000

/** For /metrics: attempts since the start, and what was open after the last round. */
export interface OutboxMetrics extends Record<Outcome['kind'] | 'unclear', number> {
  pending: number
  setAside: number
  oldestPendingAtMs: number | undefined
}

export interface OutboxParts {
  readonly sql: Sql
  readonly receiver: BillingReceiver
  readonly clock: Clock
  readonly log: Log
  /** 0 to 1, for how long a failed report waits. */
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
  readonly figures: OutboxMetrics = {
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

  /** From the first one on a store on, its usage is billed. */
  static async open(parts: OutboxParts): Promise<Outbox> {
    const isFirst = await parts.sql.tx((tx) => store.beginBilling(tx, parts.clock.now()))
    if (isFirst) parts.log.info('outbound billing begins: what was used before is not reported')
    return new Outbox(parts)
  }

  /** A round now and every minute. */
  start(): void {
    const round = (): void => {
      this.round().catch((error: unknown) => {
        this.#log.warn('usage could not be reported and waits', { reason: reasonOf(error) })
      })
    }
    this.#timer = setInterval(round, everyMs).unref()
    round()
  }

  /** Resolves when nothing is under way: what was being sent has an outcome, or will be sent again under the same id. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isStopping = true
    const hurry = setTimeout(() => this.#abort.abort(), graceMs)
    await this.#round?.catch(() => undefined)
    clearTimeout(hurry)
  }

  /** Reports what was used and sends what is due. While a round is under way, that one. */
  round(): Promise<void> {
    this.#round ??= this.#work().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  async #work(): Promise<void> {
    try {
      await this.#cutAll()
    } finally {
      // What cannot be cut now does not keep back what was.
      while (!this.#isStopping && (await this.#sendSome())) continue
      await this.#look()
    }
  }

  async #cutAll(): Promise<void> {
    for (const usage of await store.unreportedUsage(this.#sql, this.#receiver.needsCustomer)) {
      if (this.#isStopping) return
      await this.#cut(usage)
    }
  }

  async #cut({ org_id: orgId, period, used, reported, customer }: UnreportedRow): Promise<void> {
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
      if (!(await store.takeUnreported(tx, { orgId, period, from: reported, to: used }))) return
      await store.insertReport(tx, report)
    })
  }

  /** False if nothing was due. */
  async #sendSome(): Promise<boolean> {
    const leasedAtMs = this.#clock.now()
    const leased = await this.#lease(leasedAtMs)
    const outcomes = await Promise.all(leased.map((row) => this.#send(row)))
    if (leased.length > 0) {
      await this.#sql.tx(async (tx) => {
        for (const [index, row] of leased.entries()) {
          const outcome = outcomes[index] as Outcome
          if (outcome.kind === 'delivered') await store.recordDelivery(tx, row.id, this.#clock.now())
          else await store.recordFailure(tx, row, this.#failed(row, outcome, leasedAtMs))
        }
      })
      this.#tell(leased, outcomes)
    }
    return leased.length > 0
  }

  async #lease(nowMs: number): Promise<ReportRow[]> {
    const { recognizesMs } = this.#receiver
    const firstSentBeforeMs = nowMs - recognizesMs + recognizedMarginMs
    const [unclear, leased] = await this.#sql.tx(async (tx) => [
      recognizesMs === Infinity ? [] : await store.setAsideUnclear(tx, { nowMs, firstSentBeforeMs }),
      await store.leaseReports(tx, { nowMs, untilMs: nowMs + leaseMs, most: atOnce }),
    ])
    this.figures.unclear += unclear.length
    for (const { id, org_id: orgId } of unclear) {
      this.#log.warn('a usage report was billed or not, nobody knows: see the command billing', { name: id, orgId })
    }
    return leased
  }

  #send(row: ReportRow): Promise<Outcome> {
    const { id, org_id: orgId, organization, customer, period, units, at_ms: atMs } = row
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(this.#timeoutMs)])
    return this.#receiver.send({ id, orgId, organization, customer, period, units, atMs }, signal)
  }

  #failed(row: ReportRow, outcome: Failure, leasedAtMs: number) {
    // That it was not received says nothing about the attempts before.
    const isFirst = row.first_sent_at_ms === leasedAtMs
    return {
      state: outcome.kind === 'refused' ? 'refused' : 'pending',
      nextAttemptAtMs: this.#clock.now() + this.#backoffMs(row.attempts),
      firstSentAtMs: isFirst && outcome.kind !== 'unknown' ? null : row.first_sent_at_ms,
      failure: outcome.reason,
    } as const
  }

  /** Up to twice as long after each attempt. */
  #backoffMs(attempts: number): number {
    const longest = Math.min(maxBackoffMs, leastBackoffMs * 2 ** (attempts - 1))
    return Math.round(longest * (0.5 + this.#random() / 2))
  }

  #tell(leased: readonly ReportRow[], outcomes: readonly Outcome[]): void {
    const failures: string[] = []
    for (const [index, { id, org_id: orgId }] of leased.entries()) {
      const outcome = outcomes[index] as Outcome
      this.figures[outcome.kind]++
      if (outcome.kind === 'delivered') continue
      const { kind, reason } = outcome
      if (kind !== 'refused') failures.push(reason)
      else this.#log.warn('a usage report was refused: see the command billing', { name: id, orgId, reason })
    }
    const [reason] = failures
    if (reason === undefined) return
    this.#log.warn('usage reports were not taken and will be sent again', { count: failures.length, reason })
  }

  async #look(): Promise<void> {
    const open = await store.countOpenReports(this.#sql)
    const pending = open.find(({ state }) => state === 'pending')
    this.figures.pending = pending?.reports ?? 0
    this.figures.oldestPendingAtMs = pending?.oldest_at_ms
    this.figures.setAside = open.reduce((sum, { state, reports }) => sum + (state === 'pending' ? 0 : reports), 0)
  }
}
