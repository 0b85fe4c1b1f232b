/**
 * The embedded ledger: counters in the same database as the variables.
 *
 * Billing events that arrive while the event loop reads its sockets are decided and stored by one transaction, and each
 * is answered after it: durable like a transaction of its own, for a fraction of its cost. Storage is booked inside the
 * transaction of the write, so its COMMIT is what settles and its ROLLBACK is what releases. On PostgreSQL a round (see
 * `storage/rounds.ts`) counts most events together with what else it asks, and only the rest comes here.
 */
import { limits } from '@rollkey/contract'
import type { Claims } from '../base/claims.ts'
import { dayOf, monthOf, type Clock } from '../base/clock.ts'
import { hashOfRequestKey, type Rounds } from '../storage/rounds.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import * as store from '../storage/usage.ts'
import type { BillingEvent } from '../storage/usage.ts'
import type { Charge, Meter, Reservation } from './meter.ts'
import type { Plan } from './plans.ts'

interface Waiting {
  readonly event: BillingEvent
  readonly resolve: (charge: Decided) => void
  readonly reject: (error: unknown) => void
}

type Decided = Exclude<Charge, 'outdated'>

/** Counts since the start, for /metrics. */
export interface LedgerCounts extends Record<Decided, number> {
  settledBytes: number
  releasedBytes: number
}

export class Ledger implements Meter {
  readonly #sql: Sql
  readonly #plan: Plan
  readonly #clock: Clock
  readonly #rounds: Rounds | undefined
  #waiting: Waiting[] = []
  #flushing = false
  readonly counts: LedgerCounts = { counted: 0, repeated: 0, refused: 0, settledBytes: 0, releasedBytes: 0 }

  constructor(parts: { sql: Sql; plan: Plan; clock: Clock; rounds?: Rounds | undefined }) {
    this.#sql = parts.sql
    this.#plan = parts.plan
    this.#clock = parts.clock
    this.#rounds = parts.rounds
  }

  charge(event: BillingEvent, claims: Claims): Promise<Charge> {
    return this.#rounds ? this.#inRound(this.#rounds, event, claims) : this.#inGroup(event)
  }

  async #inRound(rounds: Rounds, event: BillingEvent, claims: Claims): Promise<Charge> {
    const outcome = await rounds.charge(claims, event)
    if (outcome === 'outdated') return outcome
    if (outcome !== 'counted' && outcome !== 'repeated') return this.#inGroup(event)
    this.counts[outcome]++
    return outcome
  }

  #inGroup(event: BillingEvent): Promise<Charge> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, resolve, reject })
      if (this.#flushing) return
      this.#flushing = true
      setImmediate(() => void this.#flush())
    })
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      try {
        const charges = await this.#sql.tx(
          (tx) =>
            this.#decide(
              tx,
              group.map(({ event }) => event),
            ),
          'process',
        )
        for (const [index, { resolve }] of group.entries()) {
          const charge = charges[index] as Decided
          this.counts[charge]++
          resolve(charge)
        }
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#flushing = false
  }

  async #decide(tx: Tx, events: readonly BillingEvent[]): Promise<Decided[]> {
    const nowMs = this.#clock.now()
    const charges = new Map<BillingEvent, Decided>()
    const byOrg = [...Map.groupBy(events, ({ orgId }) => orgId)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [orgId, ofOrg] of byOrg) {
      // Everybody takes the meter first, and those of several organizations in one order: no two wait for each other.
      await store.addToMeter(tx, this.#counter(orgId, nowMs), 0, this.#plan.evaluationsPerMonth)
      await this.#decideOrg(tx, ofOrg, nowMs, charges)
    }
    return events.map((event) => charges.get(event) as Decided)
  }

  /** Keys first, then the limit: of the events that are new, the earliest get what is left. */
  async #decideOrg(
    tx: Tx,
    events: readonly BillingEvent[],
    nowMs: number,
    charges: Map<BillingEvent, Decided>,
  ): Promise<void> {
    const byKey = new Map<string, BillingEvent>()
    const fresh: BillingEvent[] = []
    for (const event of events) {
      const { requestKey } = event
      if (requestKey === undefined) fresh.push(event)
      else if (byKey.has(requestKey)) continue
      else {
        byKey.set(requestKey, event)
        const expiresAtMs = nowMs + limits.requestKeyWindowMs
        if (await store.insertRequestKey(tx, event.orgId, hashOfRequestKey(requestKey), expiresAtMs)) fresh.push(event)
      }
    }
    const [first] = fresh
    const granted = first ? await this.#grant(tx, first.orgId, fresh.length, nowMs) : 0
    const counted = fresh.slice(0, granted)
    for (const event of counted) charges.set(event, 'counted')
    await addUsageOf(tx, counted, nowMs)
    for (const event of fresh.slice(granted)) {
      charges.set(event, 'refused')
      // What is refused must not look paid when the key comes again.
      if (event.requestKey !== undefined)
        await store.deleteRequestKey(tx, event.orgId, hashOfRequestKey(event.requestKey))
    }
    for (const event of events) {
      if (charges.has(event)) continue
      const sameKey = event.requestKey === undefined ? undefined : byKey.get(event.requestKey)
      charges.set(event, sameKey && charges.get(sameKey) === 'refused' ? 'refused' : 'repeated')
    }
  }

  #counter(orgId: string, nowMs: number) {
    return { orgId, meter: 'evaluations', period: monthOf(nowMs) } as const
  }

  /** How many of `wanted` units the month's limit leaves, now counted. */
  async #grant(tx: Tx, orgId: string, wanted: number, nowMs: number): Promise<number> {
    const counter = this.#counter(orgId, nowMs)
    const limit = this.#plan.evaluationsPerMonth
    let amount = wanted
    while (amount > 0 && !(await store.addToMeter(tx, counter, amount, limit))) {
      amount = Math.min(amount - 1, limit - (await store.readMeter(tx, counter)))
    }
    return Math.max(0, amount)
  }

  async reserve(tx: Tx, orgId: string, bytes: number): Promise<Reservation | undefined> {
    const counter = { orgId, meter: 'storage', period: '' } as const
    return (await store.addToMeter(tx, counter, bytes, this.#plan.storageBytes)) ? { orgId, bytes } : undefined
  }

  settle({ bytes }: Reservation): void {
    this.counts.settledBytes += bytes
  }

  release({ bytes }: Reservation): void {
    this.counts.releasedBytes += bytes
  }
}

async function addUsageOf(tx: Tx, counted: readonly BillingEvent[], nowMs: number): Promise<void> {
  const day = dayOf(nowMs)
  const byStage = Map.groupBy(counted, ({ projectId, stageId }) => `${projectId} ${stageId}`)
  for (const events of byStage.values()) {
    const [{ orgId, projectId, stageId }] = events as [BillingEvent, ...BillingEvent[]]
    await store.addUsage(tx, { orgId, projectId, stageId, day }, events.length)
  }
}
