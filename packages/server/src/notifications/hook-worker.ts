/**
 * Tells webhooks what happened, on every node. Each webhook reads the audit log of its organization from its position on, and moves on when
 * its receiver has accepted a message. A lease keeps nodes from sending the same; a node that is killed leaves the message to another one,
 * which sends it again under the same id. A receiver that hangs holds its own webhook, and nothing else.
 */
import { limits, passesFilter } from '@rollkey/contract'
import { backoffMs } from '../base/backoff.ts'
import type { Timer } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { systemActorOf } from '../storage/actor.ts'
import { appendAudit, type AuditRow } from '../storage/audit.ts'
import * as store from '../storage/hooks.ts'
import type { DueHookRow, LeasedHookRow } from '../storage/hooks.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import type { Attempt, Delivery } from './delivery.ts'
import { eventsOf, tellable, type ReadEvent } from './events.ts'

/** How long until a node looks again. */
const pollIntervalMs = 500
/** How long a node leases a webhook for one message: several times what sending takes at most. */
const leaseMs = 30_000
const pageSize = 100
const backoff = { firstMs: 5_000, maxMs: 60 * 60_000 }
/** Accepted messages that are stored together. A killed node sends them again. */
const settledTogether = 20
/** How long accepted messages wait to be stored. */
const settleAfterMs = 5_000
/** Maximum webhooks that a node sends to at once. */
const maxSending = 512
/** Maximum webhooks that one transaction leases. */
const leasedTogether = 64
/** How long deliveries may fail until the webhook is switched off. */
const givesUpAfterMs = 3 * 24 * 60 * 60_000
/** The receiver is gone for good (Standard Webhooks 1.0). */
const gone = 410

export interface HookWorkerParts {
  readonly sql: Sql
  readonly delivery: Pick<Delivery, 'send'>
  readonly publicUrl: string
  readonly clock: Timer
  readonly log: Log
  /** Returns a random number from 0 to 1, which varies how long a failed message waits. */
  readonly random: () => number
}

/** What a webhook has received, of which the store does not know yet. */
interface Told {
  readonly lease: LeasedHookRow
  /** The last entry of the audit log that it has received or that does not concern it. */
  readonly position: number
  readonly attempts: readonly Attempt[]
}

/** Values for /metrics: attempts since the start. */
export interface HookMetrics extends Record<'delivered' | 'failed' | 'switchedOff', number> {}

export class HookWorker {
  readonly #parts: HookWorkerParts
  readonly #abort = new AbortController()
  /** What is being sent, and to whose webhook. */
  readonly #sending = new Map<Promise<void>, string>()
  #endInterval = (): void => {}
  #round: Promise<void> | undefined
  #isFailing = false
  readonly metrics: HookMetrics = { delivered: 0, failed: 0, switchedOff: 0 }

  constructor(parts: HookWorkerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#endInterval = this.#parts.clock.every(pollIntervalMs, () => {
      this.#round ??= this.#runRound().finally(() => (this.#round = undefined))
    })
  }

  /** Stops. What is being sent is aborted, and sent again under its id. */
  async close(): Promise<void> {
    this.#endInterval()
    this.#abort.abort()
    await this.#round
    await Promise.all(this.#sending.keys())
  }

  /** Begins to send to the webhooks that are behind, and does not wait for them. */
  async #lease(): Promise<void> {
    const { sql, clock } = this.#parts
    if (this.#sending.size >= maxSending) return
    // Nearly always there is none, and a read keeps no one from writing.
    const due = await store.dueHooks(sql, clock.now(), maxSending)
    const picked = fairShare(due, [...this.#sending.values()], maxSending)
    for (let at = 0; at < picked.length && !this.#abort.signal.aborted; at += leasedTogether) {
      const some = picked.slice(at, at + leasedTogether)
      const untilMs = clock.now() + leaseMs
      for (const row of await sql.tx((tx) => leaseAll(tx, some, untilMs), 'process')) this.#begin(row)
    }
  }

  async #runRound(): Promise<void> {
    try {
      await this.#lease()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#parts.log.warn('webhooks could not be read', { reason: reasonOf(error) })
      this.#isFailing = true
    }
  }

  #begin(row: LeasedHookRow): void {
    const sending = this.#tell(row)
      .catch((error: unknown) => {
        const reason = reasonOf(error)
        this.#parts.log.warn('a webhook could not be read and will be tried again', { name: row.id, reason })
      })
      .finally(() => this.#sending.delete(sending))
    this.#sending.set(sending, row.org_id)
  }

  /** Sends what the webhook has not received, in order, until there is no more, a message fails or another node has taken over. */
  async #tell(row: LeasedHookRow): Promise<void> {
    const { sql, publicUrl, clock } = this.#parts
    const place = { orgId: row.org_id, orgSlug: row.org_slug, publicUrl }
    let told: Told | undefined = { lease: row, position: row.position, attempts: [] }
    while (told) {
      const page: readonly AuditRow[] = await store.entriesAfter(sql, row.org_id, told.position, pageSize)
      const entries = tellable(page, pageSize)
      for (const each of eventsOf(place, entries)) {
        if (!concerns(row, each)) continue
        told = await this.#deliver(told, each)
        if (!told) return
      }
      const isLast = page.length < pageSize
      told = await this.#settle(
        { ...told, position: entries.at(-1)?.seq ?? told.position },
        isLast ? clock.now() : undefined,
      )
      if (isLast) return
    }
  }

  /** Sends a message. Returns what the webhook has received; undefined if it failed, or if another node has taken over. */
  async #deliver(told: Told, { id, seq, event }: ReadEvent): Promise<Told | undefined> {
    const { signal } = this.#abort
    const attempt = signal.aborted ? undefined : await this.#parts.delivery.send(told.lease, id, event, signal)
    // A message that was aborted says nothing about the receiver.
    if (!attempt || (signal.aborted && attempt.failure !== null)) {
      await this.#settle(told, this.#parts.clock.now())
      return undefined
    }
    this.metrics[attempt.failure === null ? 'delivered' : 'failed']++
    const { lease, attempts } = told
    if (attempt.failure !== null) {
      await this.#fail(told, attempt, attempt.failure)
      return undefined
    }
    const next = { lease, position: seq, attempts: [...attempts, attempt] }
    const heldMs = this.#parts.clock.now() - (lease.next_attempt_at_ms - leaseMs)
    return next.attempts.length < settledTogether && heldMs < settleAfterMs ? next : this.#settle(next)
  }

  /** Stores what the webhook has received. `untilMs`: when it may be leased again, by default after more messages. */
  async #settle({ lease, position, attempts }: Told, endsAtMs?: number): Promise<Told | undefined> {
    const { sql, clock } = this.#parts
    const untilMs = endsAtMs ?? clock.now() + leaseMs
    const isOurs = await sql.tx(async (tx) => {
      if (!(await store.settleHook(tx, lease, { position, untilMs }))) return false
      await store.recordAttempts(tx, lease.id, attempts, limits.hookDeliveries)
      return true
    }, 'process')
    return isOurs
      ? {
          lease: { ...lease, next_attempt_at_ms: untilMs, attempts: attempts.length > 0 ? 0 : lease.attempts },
          position,
          attempts: [],
        }
      : undefined
  }

  /** Stores what the webhook has received before a message failed, and when that is sent again, if at all. */
  async #fail(told: Told, attempt: Attempt, failure: string): Promise<void> {
    const { sql, clock, log, random } = this.#parts
    const { lease, position, attempts } = told
    const nowMs = clock.now()
    const failed = attempts.length > 0 ? 0 : lease.attempts
    const nextAttemptAtMs = nowMs + backoffMs(failed, random(), backoff)
    const isOff = await sql.tx(async (tx) => {
      const record = { position, wasAccepted: attempts.length > 0, nowMs, nextAttemptAtMs, failure }
      const sinceMs = await store.recordHookFailure(tx, lease, record)
      if (sinceMs === undefined) return false
      await store.recordAttempts(tx, lease.id, [...attempts, attempt], limits.hookDeliveries)
      if (attempt.status !== gone && nowMs - sinceMs < givesUpAfterMs) return false
      if (!(await store.switchHookOff(tx, lease.id, nowMs))) return false
      const actor = systemActorOf({ orgId: lease.org_id, userId: lease.created_by }, `webhook failed: ${failure}`)
      const facts = { hookId: lease.id, name: lease.name }
      await appendAudit(tx, actor, { action: 'hook.off', nowMs, facts })
      return true
    })
    if (!isOff) return
    this.metrics.switchedOff++
    log.warn('a webhook was switched off', { name: lease.id, orgId: lease.org_id, reason: failure })
  }
}

/**
 * Returns what may begin. An organization holds at most as many places as are free then, so that there are some for the next organization,
 * whatever those before it send to. `due` is in turns of the organizations; `held` has the organization of each place that is taken.
 */
export function fairShare<Due extends { readonly org_id: string }>(
  due: readonly Due[],
  held: readonly string[],
  places: number,
): Due[] {
  const placesOf = new Map<string, number>()
  for (const orgId of held) placesOf.set(orgId, (placesOf.get(orgId) ?? 0) + 1)
  let free = places - held.length
  return due.filter(({ org_id: orgId }) => {
    const own = placesOf.get(orgId) ?? 0
    if (own >= free) return false
    placesOf.set(orgId, own + 1)
    free--
    return true
  })
}

/** Leases webhooks in the order of their ids, so that two nodes do not wait for each other. */
async function leaseAll(tx: Tx, due: readonly DueHookRow[], untilMs: number): Promise<LeasedHookRow[]> {
  const leased: LeasedHookRow[] = []
  for (const each of due.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const row = await store.leaseHook(tx, each, untilMs)
    if (row) leased.push(row)
  }
  return leased
}

/** Returns whether the webhook is about the place and the type of an event. */
function concerns(row: LeasedHookRow, { event: { type, data } }: ReadEvent): boolean {
  if (row.project_slug !== null && row.project_slug !== data.projectSlug) return false
  // What happens to a whole project happens to its stages.
  if (row.stage_slug !== null && data.stageSlug !== undefined && row.stage_slug !== data.stageSlug) return false
  return passesFilter(type, JSON.parse(row.events) as string[])
}
