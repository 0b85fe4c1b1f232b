/**
 * The outbox of webhooks. Each webhook reads the audit log of its organization from its position on, and moves on when its receiver has
 * accepted a message. A receiver that hangs holds its own webhook, and nothing else.
 */
import { limits, passesFilter } from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import { accepted, Lease, type LeaseParts } from '../outbox/lease.ts'
import type { Outbox, Sending } from '../outbox/outbox-worker.ts'
import { systemActorOf } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/hooks.ts'
import { hookTable, type LeasedHookRow } from '../storage/hooks.ts'
import { leaseRow, type DueRow } from '../storage/leases.ts'
import type { Tx } from '../storage/sql.ts'
import type { Attempt, Delivery } from './delivery.ts'
import { eventsOf, tellable, type ReadEvent } from './events.ts'

const leaseMs = 30_000
const rules = { table: hookTable, leaseMs, backoff: { firstMs: 5_000, maxMs: 60 * 60_000 } }
const pageSize = 100
/** Accepted messages that are stored together. A killed node sends them again. */
const settledTogether = 20
/** How long accepted messages wait to be stored. */
const settleAfterMs = 5_000
/** How long deliveries may fail until the webhook is switched off. */
const givesUpAfterMs = 3 * 24 * 60 * 60_000
/** The receiver is gone for good (Standard Webhooks 1.0). */
const gone = 410

export interface HookOutboxParts extends LeaseParts {
  readonly delivery: Pick<Delivery, 'send'>
  readonly publicUrl: string
  readonly log: Log
}

/** What a webhook has received, of which the store does not know yet. */
interface Progress {
  readonly lease: Lease<LeasedHookRow>
  /** The last entry of the audit log that it has received or that does not concern it. */
  position: number
  attempts: Attempt[]
}

/** Values for /metrics: attempts since the start. */
export interface HookMetrics extends Record<'delivered' | 'failed' | 'switchedOff', number> {}

export class HookOutbox implements Outbox<LeasedHookRow> {
  readonly name = 'webhooks'
  readonly due = hookTable.due
  readonly places = 512
  readonly leaseMs = leaseMs
  readonly #parts: HookOutboxParts
  readonly metrics: HookMetrics = { delivered: 0, failed: 0, switchedOff: 0 }

  constructor(parts: HookOutboxParts) {
    this.#parts = parts
  }

  lease(tx: Tx, due: DueRow, untilMs: number): Promise<LeasedHookRow | undefined> {
    return leaseRow(tx, hookTable, due, untilMs)
  }

  /** Sends what the webhook has not received, in order, until there is no more, a message fails or another node has taken over. */
  async send(row: LeasedHookRow, sending: Sending): Promise<boolean> {
    const { sql, publicUrl, clock } = this.#parts
    const place = { orgId: row.org_id, orgSlug: row.org_slug, publicUrl }
    const progress: Progress = { lease: new Lease(this.#parts, rules, row), position: row.position, attempts: [] }
    for (;;) {
      const page = await store.entriesAfter(sql, row.org_id, progress.position, pageSize)
      const entries = tellable(page, pageSize)
      for (const each of eventsOf(place, entries))
        if (concerns(row, each) && !(await this.#deliver(progress, each, sending))) return true
      progress.position = entries.at(-1)?.seq ?? progress.position
      const isLast = page.length < pageSize
      if (!(await this.#settle(progress, isLast ? clock.now() : undefined)) || isLast) return true
    }
  }

  /** Sends a message. Returns false if it failed, or if another node has taken over. */
  async #deliver(progress: Progress, { id, seq, event }: ReadEvent, { signal, turn }: Sending): Promise<boolean> {
    const { delivery, clock } = this.#parts
    const { lease } = progress
    const attempt = signal.aborted ? undefined : await turn(() => delivery.send(lease.row, id, event, signal))
    if (!attempt || (signal.aborted && attempt.failure !== null)) {
      await this.#settle(progress, clock.now())
      return false
    }
    this.metrics[attempt.failure === null ? 'delivered' : 'failed']++
    if (attempt.failure !== null) {
      await this.#fail(progress, attempt, attempt.failure)
      return false
    }
    progress.position = seq
    progress.attempts.push(attempt)
    const isSoon = progress.attempts.length < settledTogether && clock.now() - lease.beganAtMs < settleAfterMs
    return isSoon || this.#settle(progress)
  }

  /** Stores what the webhook has received. `endsAtMs`: when it may be leased again, by default after more messages. */
  #settle(progress: Progress, endsAtMs?: number): Promise<boolean> {
    const { lease, position, attempts } = progress
    progress.attempts = []
    const changes = position > lease.row.position ? { position, ...accepted } : {}
    return lease.settle(changes, endsAtMs, (tx) =>
      store.recordAttempts(tx, lease.row.id, attempts, limits.hookDeliveries),
    )
  }

  /** Stores what the webhook has received before a message failed, and when that is sent again, if at all. */
  async #fail({ lease, position, attempts }: Progress, attempt: Attempt, failure: string): Promise<void> {
    const nowMs = this.#parts.clock.now()
    if (attempts.length > 0) lease.row = { ...lease.row, ...accepted }
    const { id, org_id: orgId, name, created_by: userId, failing_since_ms: sinceMs } = lease.row
    let isOff = false
    await lease.fail(failure, { position }, async (tx) => {
      await store.recordAttempts(tx, id, [...attempts, attempt], limits.hookDeliveries)
      if (attempt.status !== gone && nowMs - (sinceMs ?? nowMs) < givesUpAfterMs) return
      isOff = await store.switchHookOff(tx, id, nowMs)
      const actor = systemActorOf({ orgId, userId }, `webhook failed: ${failure}`)
      await appendAudit(tx, actor, { action: 'hook.off', nowMs, facts: { hookId: id, name } })
    })
    if (!isOff) return
    this.metrics.switchedOff++
    this.#parts.log.warn('a webhook was switched off', { name: id, orgId, reason: failure })
  }
}

/** Returns whether the webhook is about the place and the type of an event. */
function concerns(row: LeasedHookRow, { event: { type, data } }: ReadEvent): boolean {
  if (row.project_slug !== null && row.project_slug !== data.projectSlug) return false
  // What happens to a whole project happens to its stages.
  if (row.stage_slug !== null && data.stageSlug !== undefined && row.stage_slug !== data.stageSlug) return false
  return passesFilter(type, JSON.parse(row.events) as string[])
}
