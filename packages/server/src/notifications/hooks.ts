/** Webhooks of an organization (docs/notifications.md). */
import type { BlockList } from 'node:net'
import { limits, type Hook, type HookDelivery, type HookEvent, type Request } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/random.ts'
import type { Actor } from '../storage/actor.ts'
import { requirePlace } from '../storage/access.ts'
import { appendAudit, lastEntry, type AuditEvent } from '../storage/audit.ts'
import * as store from '../storage/hooks.ts'
import type { DeliveryRow, HookRow, ListedHookRow } from '../storage/hooks.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import type { Delivery } from './delivery.ts'
import { eventsOf } from './events.ts'
import { problemOfTarget } from './target.ts'

/** How long the former signing secret signs too. */
const formerSecretMs = 24 * 60 * 60_000
/** Entries that one revision has at most. */
const entriesOfRevision = 10

/** Keeps the rules by which the actor may do it until the transaction ends. */
type Hold = (tx: Tx) => Promise<void>

export class Hooks {
  readonly #sql: Sql
  readonly #delivery: Delivery
  readonly #allowed: BlockList
  readonly #clock: Clock
  readonly #publicUrl: string

  constructor(parts: { sql: Sql; delivery: Delivery; allowed: BlockList; clock: Clock; publicUrl: string }) {
    this.#sql = parts.sql
    this.#delivery = parts.delivery
    this.#allowed = parts.allowed
    this.#clock = parts.clock
    this.#publicUrl = parts.publicUrl
  }

  /** Returns the webhooks of an organization, oldest first. */
  async list(orgId: string): Promise<Hook[]> {
    return (await store.hooksOf(this.#sql, orgId)).map(hookOf)
  }

  /** Creates a webhook, which receives what happens from now on. Throws INVALID_REQUEST and NOT_FOUND. */
  async create(
    actor: Actor,
    { name, url, format, events, within }: Omit<Request<'hookCreate'>, 'orgSlug'>,
    hold: Hold,
  ): Promise<Hook & { secret: string }> {
    const { orgId } = actor
    const target = this.#targetOf(url)
    const id = newId('hok')
    const nowMs = this.#clock.now()
    const row = {
      id,
      org_id: orgId,
      name,
      format,
      target,
      url: this.#delivery.seal({ id, orgId }, url),
      events: JSON.stringify(events),
      project_slug: within?.projectSlug ?? null,
      stage_slug: within?.stageSlug ?? null,
      secrets: 1,
      former_until_ms: 0,
      created_by: actor.id,
      created_at_ms: nowMs,
      next_attempt_at_ms: nowMs,
      attempts: 0,
      failing_since_ms: null,
      failure: null,
      off_since_ms: null,
    }
    const created = await this.#sql.tx(async (tx) => {
      await hold(tx)
      if (within) await requirePlace(tx, orgId, within)
      if ((await store.hooksOf(tx, orgId)).length >= limits.hooks)
        throw new ApiError(
          'INVALID_REQUEST',
          `The organization has ${limits.hooks} webhooks (the maximum): delete one that is not needed.`,
        )
      await appendAudit(tx, actor, { action: 'hook.create', nowMs, facts: { hookId: id, name, target } })
      const position = await lastEntry(tx, orgId)
      await store.insertHook(tx, { ...row, position })
      return { ...row, position, last_seq: position }
    })
    return { ...hookOf(created), secret: this.#delivery.secretOf(id, 1) }
  }

  /** Changes a webhook. Throws INVALID_REQUEST and NOT_FOUND. */
  async update(
    actor: Actor,
    { id, name, url, events, isOn }: Omit<Request<'hookUpdate'>, 'orgSlug'>,
    hold: Hold,
  ): Promise<Hook> {
    const { orgId } = actor
    const former = await this.#find(orgId, id)
    const moves = url !== undefined && url !== this.#delivery.urlOf(former)
    const row = {
      ...former,
      name: name ?? former.name,
      ...(moves && { target: this.#targetOf(url), url: this.#delivery.seal({ id, orgId }, url) }),
      ...(events !== undefined && { events: JSON.stringify(events) }),
    }
    const switches = isOn !== undefined && isOn !== (former.off_since_ms === null)
    if (!moves && !switches && row.name === former.name && row.events === former.events) return hookOf(former)
    const nowMs = this.#clock.now()
    await this.#sql.tx(async (tx) => {
      await hold(tx)
      if (!(await store.updateHook(tx, row))) throw noHook()
      if (isOn === false) await store.switchHookOff(tx, id, nowMs)
      const facts = { hookId: id, name: row.name, target: row.target }
      await appendAudit(tx, actor, { action: 'hook.update', nowMs, facts })
      if (isOn === true) await store.switchHookOn(tx, id, await lastEntry(tx, orgId), nowMs)
    })
    return hookOf(await this.#find(orgId, id))
  }

  /** Replaces the signing secret. Throws NOT_FOUND. */
  async rotate(actor: Actor, id: string, hold: Hold): Promise<string> {
    const { name } = await this.#find(actor.orgId, id)
    const nowMs = this.#clock.now()
    const number = await this.#change(actor, hold, { action: 'hook.rotate', facts: { hookId: id, name } }, (tx) =>
      store.rotateHook(tx, id, nowMs + formerSecretMs),
    )
    return this.#delivery.secretOf(id, number)
  }

  /** Deletes a webhook. Throws NOT_FOUND. */
  async delete(actor: Actor, id: string, hold: Hold): Promise<void> {
    const { name } = await this.#find(actor.orgId, id)
    await this.#change(actor, hold, { action: 'hook.delete', facts: { hookId: id, name } }, async (tx) =>
      (await store.deleteHook(tx, id)) ? true : undefined,
    )
  }

  /** Sends a test and waits for its outcome. Throws NOT_FOUND. */
  async test(actor: Actor, { orgSlug, id }: { orgSlug: string; id: string }): Promise<HookDelivery> {
    const row = await this.#find(actor.orgId, id)
    const event: HookEvent = {
      type: 'hook.tested',
      timestamp: new Date(this.#clock.now()).toISOString(),
      data: {
        orgSlug,
        actor: actor.id,
        how: actor.how,
        client: actor.client,
        actions: [],
        url: `${this.#publicUrl}/o/${orgSlug}`,
      },
    }
    return this.#deliver(row, `evt_test_${newId('hok').slice(4)}`, event)
  }

  /** Returns the last messages, newest first. Throws NOT_FOUND. */
  async deliveries(orgId: string, id: string): Promise<HookDelivery[]> {
    await this.#find(orgId, id)
    return (await store.deliveriesOf(this.#sql, id)).map(deliveryOf)
  }

  /** Sends a message again, and waits for the outcome. Throws NOT_FOUND. */
  async redeliver(orgId: string, request: { orgSlug: string; id: string; eventId: string }): Promise<HookDelivery> {
    const { orgSlug, id, eventId } = request
    const row = await this.#find(orgId, id)
    const isKept = (await store.deliveriesOf(this.#sql, id)).some((each) => each.event_id === eventId)
    const seq = Number(new RegExp(`^evt_${orgId}_(\\d+)$`).exec(eventId)?.[1] ?? Number.NaN)
    if (!isKept || Number.isNaN(seq)) throw noMessage()
    const rows = await store.entriesAfter(this.#sql, orgId, seq - 1, entriesOfRevision)
    const found = eventsOf({ orgId, orgSlug, publicUrl: this.#publicUrl }, rows).find((each) => each.id === eventId)
    if (!found) throw noMessage()
    return this.#deliver(row, eventId, found.event)
  }

  async #deliver(row: HookRow, eventId: string, event: HookEvent): Promise<HookDelivery> {
    const attempt = await this.#delivery.send(row, eventId, event, new AbortController().signal)
    const [stored] = await this.#sql.tx(
      (tx) => store.recordAttempts(tx, row.id, [attempt], limits.hookDeliveries),
      'process',
    )
    return deliveryOf(stored as DeliveryRow)
  }

  async #find(orgId: string, id: string): Promise<ListedHookRow> {
    const row = (await store.hooksOf(this.#sql, orgId)).find((each) => each.id === id)
    if (!row) throw noHook()
    return row
  }

  async #change<T>(
    actor: Actor,
    hold: Hold,
    event: AuditEvent,
    change: (tx: Tx) => Promise<T | undefined>,
  ): Promise<T> {
    return this.#sql.tx(async (tx) => {
      await hold(tx)
      const changed = await change(tx)
      if (changed === undefined) throw noHook()
      await appendAudit(tx, actor, { ...event, nowMs: this.#clock.now() })
      return changed
    })
  }

  #targetOf(url: string): string {
    const problem = problemOfTarget(url, this.#allowed)
    if (problem !== undefined)
      throw new ApiError(
        'INVALID_REQUEST',
        `${problem}: the operator can list other networks with ROLLKEY_HOOK_NETWORKS.`,
      )
    return new URL(url).origin
  }
}

function noHook(): ApiError {
  return new ApiError('NOT_FOUND', 'The organization has no webhook with this ID: list the webhooks.')
}

function noMessage(): ApiError {
  return new ApiError('NOT_FOUND', 'The webhook has no such message that can be sent again: list its deliveries.')
}

function hookOf(row: ListedHookRow): Hook {
  return {
    id: row.id,
    name: row.name,
    format: row.format as Hook['format'],
    target: row.target,
    events: JSON.parse(row.events) as Hook['events'],
    within:
      row.project_slug === null ? undefined : { projectSlug: row.project_slug, stageSlug: row.stage_slug ?? undefined },
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    waiting: Math.max(0, row.last_seq - row.position),
    failingSinceMs: row.failing_since_ms ?? undefined,
    failure: row.failure ?? undefined,
    offSinceMs: row.off_since_ms ?? undefined,
  }
}

function deliveryOf(row: DeliveryRow): HookDelivery {
  return {
    eventId: row.event_id,
    type: row.type,
    atMs: row.at_ms,
    attempts: row.attempts,
    status: row.status ?? undefined,
    durationMs: row.duration_ms,
    failure: row.failure ?? undefined,
  }
}
