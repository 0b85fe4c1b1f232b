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

export class JournalCounter implements Counter {
  readonly #journal: UsageJournal
  readonly #sql: Reader
  readonly #plan: Plan
  readonly #clock: Clock
  readonly #coalescer: Coalescer<BillingEvent, ChargeResult>
  /** Units in the tables by organization and month, which change only when the journal is folded. */
  #used = new Map<string, number>()
  #usedAtFold = 0

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
    const hashes = events.map(({ requestKey }) => requestKey && hashOfRequestKey(requestKey))
    const known = await this.#knownKeys(events, hashes, nowMs)
    const left = await this.#unitsLeft(events, nowMs)
    const entries = new Map<string, PendingEntry>()
    let last: PendingEntry | undefined
    const decided = events.map((event, index): ChargeResult => {
      const { orgId } = event
      const keyHash = hashes[index]
      const key = keyHash === undefined ? undefined : nameOfKey(orgId, keyHash)
      if (key !== undefined && (known.has(key) || entries.has(key))) return 'repeated'
      const units = left.get(orgId) ?? 0
      if (units <= 0) return 'refused'
      left.set(orgId, units - 1)
      // Most events follow one of the same caller and stage. A name for each would cost more than all else here.
      if (key !== undefined || !last || !isSameSource(last, event)) {
        const name = key ?? nameOfSource(event)
        last = entries.get(name) ?? entryOf(event, keyHash)
        entries.set(name, last)
      }
      last.units++
      return 'counted'
    })
    if (entries.size > 0) this.#journal.append(nowMs, [...entries.values()])
    return decided
  }

  /** Returns the names of the keys that were counted before. `hashes`: those of the events. */
  async #knownKeys(
    events: readonly BillingEvent[],
    hashes: readonly (string | undefined)[],
    nowMs: number,
  ): Promise<Set<string>> {
    const known = new Set<string>()
    for (const [index, keyHash] of hashes.entries()) {
      if (keyHash === undefined) continue
      const { orgId } = events[index] as BillingEvent
      const isKnown =
        this.#journal.hasPendingKey(orgId, keyHash, nowMs) || (await hasRequestKey(this.#sql, orgId, keyHash, nowMs))
      if (isKnown) known.add(nameOfKey(orgId, keyHash))
    }
    return known
  }

  /** Returns the remaining units of the month, by organization. */
  async #unitsLeft(events: readonly BillingEvent[], nowMs: number): Promise<Map<string, number>> {
    const period = monthOf(nowMs)
    const left = new Map<string, number>()
    if (this.#usedAtFold !== this.#journal.folds) this.#used = new Map()
    this.#usedAtFold = this.#journal.folds
    for (const { orgId } of events) {
      if (left.has(orgId)) continue
      const name = `${orgId} ${period}`
      const used = this.#used.get(name) ?? (await readMeter(this.#sql, { orgId, meter: 'evaluations', period }))
      this.#used.set(name, used)
      left.set(orgId, this.#plan.evaluationsPerMonth - used - this.#journal.pendingUnits(orgId, period))
    }
    return left
  }
}

type PendingEntry = JournalEntry & { units: number }

function entryOf({ orgId, projectId, stageId, how, caller }: BillingEvent, keyHash: string | undefined): PendingEntry {
  return { orgId, projectId, stageId, units: 0, keyHash, how, caller }
}

/** Returns whether an event is of the same stage and caller as an entry without a request key. */
function isSameSource(entry: PendingEntry, { orgId, projectId, stageId, how, caller }: BillingEvent): boolean {
  return (
    entry.keyHash === undefined &&
    entry.stageId === stageId &&
    entry.caller === caller &&
    entry.projectId === projectId &&
    entry.orgId === orgId &&
    entry.how === how
  )
}

function nameOfSource({ orgId, projectId, stageId, how, caller }: BillingEvent): string {
  return `${orgId} ${projectId} ${stageId} ${how} ${caller}`
}

function nameOfKey(orgId: string, keyHash: string): string {
  return `${orgId} ${keyHash}`
}
