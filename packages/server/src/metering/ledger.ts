/**
 * The embedded ledger: counters in the same database as the variables.
 *
 * Billing events that arrive while the event loop reads its sockets are decided and stored by one transaction, and each
 * is answered after it: durable like a transaction of its own, for a fraction of its cost. Storage is booked inside the
 * transaction of the write, so its COMMIT is what settles and its ROLLBACK is what releases.
 */
import { hash } from 'node:crypto'
import { limits } from '@rollkey/contract'
import { dayOf, monthOf, type Clock } from '../base/clock.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import * as store from '../storage/usage.ts'
import type { BillingEvent, Charge, Meter, Reservation } from './meter.ts'
import type { Plan } from './plans.ts'

interface Waiting {
  readonly event: BillingEvent
  readonly resolve: (charge: Charge) => void
  readonly reject: (error: unknown) => void
}

/** Counts since the start, for /metrics. */
export interface LedgerCounts {
  counted: number
  repeated: number
  refused: number
  settledBytes: number
  releasedBytes: number
}

export class Ledger implements Meter {
  readonly #sql: Sql
  readonly #plan: Plan
  readonly #clock: Clock
  #waiting: Waiting[] = []
  #flushing = false
  readonly counts: LedgerCounts = { counted: 0, repeated: 0, refused: 0, settledBytes: 0, releasedBytes: 0 }

  constructor(sql: Sql, plan: Plan, clock: Clock) {
    this.#sql = sql
    this.#plan = plan
    this.#clock = clock
  }

  charge(event: BillingEvent): Promise<Charge> {
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
          const charge = charges[index] as Charge
          this.counts[charge]++
          resolve(charge)
        }
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#flushing = false
  }

  async #decide(tx: Tx, events: readonly BillingEvent[]): Promise<Charge[]> {
    const nowMs = this.#clock.now()
    const charges = new Map<BillingEvent, Charge>()
    for (const ofOrg of Map.groupBy(events, ({ orgId }) => orgId).values())
      await this.#decideOrg(tx, ofOrg, nowMs, charges)
    return events.map((event) => charges.get(event) as Charge)
  }

  /** Keys first, then the limit: of the events that are new, the earliest get what is left. */
  async #decideOrg(
    tx: Tx,
    events: readonly BillingEvent[],
    nowMs: number,
    charges: Map<BillingEvent, Charge>,
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
        if (await store.insertRequestKey(tx, event.orgId, keyHash(requestKey), expiresAtMs)) fresh.push(event)
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
      if (event.requestKey !== undefined) await store.deleteRequestKey(tx, event.orgId, keyHash(event.requestKey))
    }
    for (const event of events) {
      if (charges.has(event)) continue
      const sameKey = event.requestKey === undefined ? undefined : byKey.get(event.requestKey)
      charges.set(event, sameKey && charges.get(sameKey) === 'refused' ? 'refused' : 'repeated')
    }
  }

  /** How many of `wanted` units the month's limit leaves, now counted. */
  async #grant(tx: Tx, orgId: string, wanted: number, nowMs: number): Promise<number> {
    const counter = { orgId, meter: 'evaluations', period: monthOf(nowMs) } as const
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

function keyHash(requestKey: string): string {
  return hash('sha256', requestKey, 'base64url')
}

async function addUsageOf(tx: Tx, counted: readonly BillingEvent[], nowMs: number): Promise<void> {
  const day = dayOf(nowMs)
  const byStage = Map.groupBy(counted, ({ projectId, stageId }) => `${projectId} ${stageId}`)
  for (const events of byStage.values()) {
    const [{ orgId, projectId, stageId }] = events as [BillingEvent, ...BillingEvent[]]
    await store.addUsage(tx, { orgId, projectId, stageId, day }, events.length)
  }
}
