/**
 * Counts usage on PostgreSQL, where other nodes count too. The statement that validates read sets counts most events
 * (`joined-counting.ts`). It leaves events undecided if an organization is close to its limit. A transaction that locks
 * the organization's meter first then decides all waiting events together.
 */
import { limits } from '@rollkey/contract'
import type { ReadSet } from '../consistency/read-set.ts'
import { dayOf, monthOf, type Clock } from '../base/clock.ts'
import { Coalescer } from '../concurrency/coalescer.ts'
import { hashOfRequestKey } from './request-key.ts'
import type { CountingValidator } from './joined-counting.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import * as store from '../storage/usage.ts'
import type { BillingEvent } from '../storage/usage.ts'
import type { ChargeResult, Counter } from './meter.ts'
import type { NodeRows } from './node-rows.ts'

interface RoundCounterParts {
  readonly validator: CountingValidator
  readonly sql: Sql
  readonly rows: NodeRows
  readonly clock: Clock
}

/** How a transaction counts. */
interface Terms {
  readonly nowMs: number
  /** Maximum evaluations of an organization per month. */
  readonly limit: number
}

export class RoundCounter implements Counter {
  readonly #validator: CountingValidator
  readonly #rows: NodeRows
  readonly #clock: Clock
  readonly #undecided: Coalescer<BillingEvent, ChargeResult>

  constructor({ validator, sql, rows, clock }: RoundCounterParts) {
    this.#validator = validator
    this.#rows = rows
    this.#clock = clock
    this.#undecided = new Coalescer(async (events) => {
      for (;;) {
        await rows.open()
        const decided = await sql.tx((tx) => this.#decide(tx, events), 'process')
        if (decided) return decided
        rows.forget()
      }
    })
  }

  async charge(event: BillingEvent, reads: ReadSet): Promise<ChargeResult> {
    const result = await this.#validator.run(reads, event)
    return result === 'undecided' ? this.#undecided.add(event) : result
  }

  /** Returns undefined if the lease of the node is gone. */
  async #decide(tx: Tx, events: readonly BillingEvent[]): Promise<ChargeResult[] | undefined> {
    const limit = await this.#rows.lockedLimit(tx)
    if (limit === undefined) return undefined
    const nowMs = this.#clock.now()
    const terms = { nowMs, limit }
    const charges = new Map<BillingEvent, ChargeResult>()
    const byOrg = [...Map.groupBy(events, ({ orgId }) => orgId)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [orgId, orgEvents] of byOrg) {
      // Every transaction locks the lease and then the meters, in the same order of organizations, so no two can deadlock.
      await store.addToMeter(tx, this.#counter(orgId, nowMs), 0, terms.limit)
      await this.#decideOrg(tx, orgEvents, terms, charges)
    }
    return events.map((event) => charges.get(event) as ChargeResult)
  }

  /** Checks request keys first, then the limit: the earliest new events get the remaining units. */
  async #decideOrg(
    tx: Tx,
    events: readonly BillingEvent[],
    terms: Terms,
    charges: Map<BillingEvent, ChargeResult>,
  ): Promise<void> {
    const { nowMs } = terms
    const byKey = new Map<string, BillingEvent>()
    const newEvents: BillingEvent[] = []
    for (const event of events) {
      const { requestKey } = event
      if (requestKey === undefined) newEvents.push(event)
      else if (byKey.has(requestKey)) continue
      else {
        byKey.set(requestKey, event)
        const expiresAtMs = nowMs + limits.requestKeyWindowMs
        if (await store.insertRequestKey(tx, event.orgId, hashOfRequestKey(requestKey), expiresAtMs))
          newEvents.push(event)
      }
    }
    const [first] = newEvents
    const granted = first ? await this.#grant(tx, first.orgId, newEvents.length, terms) : 0
    const counted = newEvents.slice(0, granted)
    for (const event of counted) charges.set(event, 'counted')
    await addUsageByCaller(tx, counted, nowMs)
    for (const event of newEvents.slice(granted)) {
      charges.set(event, 'refused')
      // A refused event must not look counted when a request with the same key arrives again.
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

  /** Counts up to `requested` units within the month's limit. Returns how many it counted. */
  async #grant(tx: Tx, orgId: string, requested: number, { nowMs, limit }: Terms): Promise<number> {
    const counter = this.#counter(orgId, nowMs)
    let amount = requested
    while (amount > 0 && !(await store.addToMeter(tx, counter, amount, limit))) {
      amount = Math.min(amount - 1, limit - (await store.readMeter(tx, counter)))
    }
    return Math.max(0, amount)
  }
}

async function addUsageByCaller(tx: Tx, counted: readonly BillingEvent[], nowMs: number): Promise<void> {
  const day = dayOf(nowMs)
  const byCaller = Map.groupBy(counted, ({ projectId, stageId, how, caller }) =>
    [projectId, stageId, how, caller].join(' '),
  )
  for (const events of byCaller.values()) {
    const [{ orgId, projectId, stageId, how, caller }] = events as [BillingEvent, ...BillingEvent[]]
    const stage = { orgId, projectId, stageId, day }
    await store.addUsage(tx, stage, events.length)
    await store.addCallerUsage(tx, { ...stage, how, caller }, events.length)
  }
}
