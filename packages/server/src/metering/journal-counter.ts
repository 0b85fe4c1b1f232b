/**
 * Counts usage on the embedded store, which only this process writes. The usage is the sum of the tables and of the journal
 * entries that are not in the tables yet. Events that arrive together become one line of the journal.
 */
import { monthOf, type Clock } from '../base/clock.ts'
import { Coalescer } from '../concurrency/coalescer.ts'
import { hashOfRequestKey } from './request-key.ts'
import type { Reader } from '../storage/sql.ts'
import type { JournalEntry, UsageJournal } from '../storage/usage-journal.ts'
import { hasRequestKey, readMeter, type BillingEvent } from '../storage/usage.ts'
import type { ChargeResult, Counter } from './meter.ts'
import type { Plan } from './plans.ts'

interface PendingCharge {
  readonly event: BillingEvent
  readonly keyHash: string | undefined
}

export class JournalCounter implements Counter {
  readonly #journal: UsageJournal
  readonly #sql: Reader
  readonly #plan: Plan
  readonly #clock: Clock
  readonly #coalescer: Coalescer<BillingEvent, ChargeResult>

  constructor({ journal, sql, plan, clock }: { journal: UsageJournal; sql: Reader; plan: Plan; clock: Clock }) {
    this.#journal = journal
    this.#sql = sql
    this.#plan = plan
    this.#clock = clock
    this.#coalescer = new Coalescer((events) => journal.whileNotFolding(() => this.#decide(events)))
  }

  /** Charges an event. Read sets need no validation, because no other process writes. */
  charge(event: BillingEvent): Promise<ChargeResult> {
    return this.#coalescer.add(event)
  }

  /** Checks request keys first, then the limit: the earliest new events get the remaining units. */
  async #decide(events: readonly BillingEvent[]): Promise<ChargeResult[]> {
    const nowMs = this.#clock.now()
    const pending = events.map((event) => ({ event, keyHash: event.requestKey && hashOfRequestKey(event.requestKey) }))
    const known = await this.#knownKeys(pending, nowMs)
    const left = await this.#unitsLeft(events, nowMs)
    const entries = new Map<string, JournalEntry>()
    const decided = pending.map(({ event, keyHash }): ChargeResult => {
      const { orgId, projectId, stageId, how, caller } = event
      const ids = { orgId, projectId, stageId }
      const name =
        keyHash === undefined ? `${orgId} ${projectId} ${stageId} ${how} ${caller}` : nameOfKey(orgId, keyHash)
      if (keyHash !== undefined && (known.has(name) || entries.has(name))) return 'repeated'
      const units = left.get(orgId) ?? 0
      if (units <= 0) return 'refused'
      left.set(orgId, units - 1)
      entries.set(name, { ...ids, units: (entries.get(name)?.units ?? 0) + 1, keyHash, how, caller })
      return 'counted'
    })
    if (entries.size > 0) this.#journal.append(nowMs, [...entries.values()])
    return decided
  }

  async #knownKeys(pending: readonly PendingCharge[], nowMs: number): Promise<Set<string>> {
    const known = new Set<string>()
    for (const { event, keyHash } of pending) {
      if (keyHash === undefined) continue
      const { orgId } = event
      const isKnown =
        this.#journal.hasPendingKey(orgId, keyHash, nowMs) || (await hasRequestKey(this.#sql, orgId, keyHash, nowMs))
      if (isKnown) known.add(nameOfKey(orgId, keyHash))
    }
    return known
  }

  /** Returns the remaining units of the month, by organization. */
  async #unitsLeft(events: readonly BillingEvent[], nowMs: number): Promise<Map<string, number>> {
    const month = monthOf(nowMs)
    const left = new Map<string, number>()
    for (const { orgId } of events) {
      if (left.has(orgId)) continue
      const used = await readMeter(this.#sql, { orgId, meter: 'evaluations', period: month })
      left.set(orgId, this.#plan.evaluationsPerMonth - used - this.#journal.pendingUnits(orgId, month))
    }
    return left
  }
}

function nameOfKey(orgId: string, keyHash: string): string {
  return `${orgId} ${keyHash}`
}
