/** Queries of webhooks (docs/notifications.md). */
import { type AuditRow } from './audit.ts'
import { insertOf, insertRows } from './insert.ts'
import type { OutboxTable } from './leases.ts'
import { first, type Reader, type Tx } from './sql.ts'

export interface HookRow {
  readonly id: string
  readonly org_id: string
  readonly name: string
  readonly format: string
  readonly target: string
  readonly url: Buffer
  /** JSON. */
  readonly events: string
  readonly project_slug: string | null
  readonly stage_slug: string | null
  readonly secrets: number
  readonly former_until_ms: number
  readonly created_by: string
  readonly created_at_ms: number
  readonly position: number
  readonly next_attempt_at_ms: number
  readonly attempts: number
  readonly failing_since_ms: number | null
  readonly failure: string | null
  readonly off_since_ms: number | null
}

const columns = `id, org_id, name, format, target, url, events, project_slug, stage_slug, secrets, former_until_ms, created_by,
  created_at_ms, position, next_attempt_at_ms, attempts, failing_since_ms, failure, off_since_ms`

/** A webhook that this node sends to, and the slug of its organization. */
export type LeasedHookRow = HookRow & { readonly org_slug: string }

/** A webhook, and the last entry of the audit log of its organization. */
export type ListedHookRow = HookRow & { readonly last_seq: number }

/** Returns the webhooks of an organization, oldest first. */
export async function hooksOf(sql: Reader, orgId: string): Promise<ListedHookRow[]> {
  const rows = await sql.all<ListedHookRow>(
    `select ${columns}, (select seq from audit_heads a where a.org_id = hooks.org_id) as last_seq from hooks where org_id = $1`,
    orgId,
  )
  return rows.toSorted((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1))
}

export async function insertHook(tx: Tx, row: HookRow): Promise<void> {
  await tx.all(
    `insert into hooks (${columns})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
    row.id,
    row.org_id,
    row.name,
    row.format,
    row.target,
    row.url,
    row.events,
    row.project_slug,
    row.stage_slug,
    row.secrets,
    row.former_until_ms,
    row.created_by,
    row.created_at_ms,
    row.position,
    row.next_attempt_at_ms,
    row.attempts,
    row.failing_since_ms,
    row.failure,
    row.off_since_ms,
  )
}

/** Changes what a person decides. Returns false if it was deleted. */
export async function updateHook(
  tx: Tx,
  { id, name, target, url, events }: Pick<HookRow, 'id' | 'name' | 'target' | 'url' | 'events'>,
): Promise<boolean> {
  const rows = await tx.all(
    'update hooks set name = $2, target = $3, url = $4, events = $5 where id = $1 returning id',
    id,
    name,
    target,
    url,
    events,
  )
  return rows.length === 1
}

/** Replaces the signing secret. Returns the number of the new one, or undefined if the webhook was deleted. */
export async function rotateHook(tx: Tx, id: string, formerUntilMs: number): Promise<number | undefined> {
  const row = await first(
    tx.all<{ secrets: number }>(
      'update hooks set secrets = secrets + 1, former_until_ms = $2 where id = $1 returning secrets',
      id,
      formerUntilMs,
    ),
  )
  return row?.secrets
}

/** Switches a webhook on, from an entry of the audit log on. Returns false if it was on, or was deleted. */
export async function switchHookOn(tx: Tx, id: string, position: number, nowMs: number): Promise<boolean> {
  const rows = await tx.all(
    `update hooks set off_since_ms = null, position = $2, next_attempt_at_ms = $3, attempts = 0, failing_since_ms = null, failure = null
     where id = $1 and off_since_ms is not null returning id`,
    id,
    position,
    nowMs,
  )
  return rows.length === 1
}

/** Switches a webhook off. Returns false if it was off, or was deleted. */
export async function switchHookOff(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const rows = await tx.all(
    'update hooks set off_since_ms = $2 where id = $1 and off_since_ms is null returning id',
    id,
    nowMs,
  )
  return rows.length === 1
}

/** Deletes a webhook with its deliveries. Returns true for exactly one of many callers. */
export async function deleteHook(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.all('delete from hooks where id = $1 returning id', id)
  await tx.all('delete from hook_deliveries where hook_id = $1', id)
  return rows.length === 1
}

/** Deletes all webhooks of an organization. */
export async function deleteHooksOf(tx: Tx, orgId: string): Promise<void> {
  await tx.all('delete from hook_deliveries where hook_id in (select id from hooks where org_id = $1)', orgId)
  await tx.all('delete from hooks where org_id = $1', orgId)
}

/** Webhooks as an outbox: those that are behind are due. */
export const hookTable: OutboxTable = {
  name: 'hooks',
  key: 'id',
  isOpen: 'off_since_ms is null',
  columns: `${columns}, (select slug from organizations o where o.id = hooks.org_id) as org_slug`,
  due: `select h.id, h.org_id, h.next_attempt_at_ms from hooks h join audit_heads a on a.org_id = h.org_id
    where h.off_since_ms is null and h.next_attempt_at_ms <= $1 and a.seq > h.position`,
}

/** A webhook that has not received everything, or that is switched off. */
export interface WaitingHookRow {
  readonly id: string
  readonly organization: string
  /** Entries of the audit log that it has yet to read. */
  readonly entries: number
  /** When the first of them was written; null if there is none. */
  readonly oldest_at_ms: number | null
  readonly failing_since_ms: number | null
  readonly failure: string | null
  readonly off_since_ms: number | null
}

/** Returns the webhooks that have not received everything, or that are switched off. */
export function waitingHooks(sql: Reader): Promise<WaitingHookRow[]> {
  return sql.all(
    `select h.id, o.slug as organization, a.seq - h.position as entries,
       (select e.at_ms from audit e where e.org_id = h.org_id and e.seq = h.position + 1) as oldest_at_ms,
       h.failing_since_ms, h.failure, h.off_since_ms
     from hooks h join audit_heads a on a.org_id = h.org_id join organizations o on o.id = h.org_id
     where a.seq > h.position or h.off_since_ms is not null`,
  )
}

export interface DeliveryRow {
  readonly event_id: string
  readonly type: string
  readonly at_ms: number
  readonly attempts: number
  readonly status: number | null
  readonly duration_ms: number
  readonly failure: string | null
}

const attemptsInsert = insertOf(
  'hook_deliveries',
  ['hook_id', 'event_id', 'type', 'at_ms', 'attempts', 'status', 'duration_ms', 'failure'],
  `on conflict (hook_id, event_id) do update set at_ms = excluded.at_ms, attempts = hook_deliveries.attempts + 1,
     status = excluded.status, duration_ms = excluded.duration_ms, failure = excluded.failure
   returning event_id, type, at_ms, attempts, status, duration_ms, failure`,
)

/**
 * Records attempts to deliver messages, of each message one, and forgets all but the last `keep` messages of the webhook. Returns what is
 * stored of them.
 */
export async function recordAttempts(
  tx: Tx,
  hookId: string,
  attempts: readonly Omit<DeliveryRow, 'attempts'>[],
  keep: number,
): Promise<DeliveryRow[]> {
  if (attempts.length === 0) return []
  const rows = attempts.map((each) => [
    hookId,
    each.event_id,
    each.type,
    each.at_ms,
    1,
    each.status,
    each.duration_ms,
    each.failure,
  ])
  const stored = await Promise.all(insertRows<DeliveryRow>(tx, attemptsInsert, rows))
  await tx.all(
    `delete from hook_deliveries where hook_id = $1 and event_id in (
       select event_id from hook_deliveries where hook_id = $1 order by at_ms desc, event_id desc limit 1000 offset $2)`,
    hookId,
    keep,
  )
  return stored.flat()
}

/** Returns the last messages of a webhook, newest first. */
export function deliveriesOf(sql: Reader, hookId: string): Promise<DeliveryRow[]> {
  return sql.all(
    `select event_id, type, at_ms, attempts, status, duration_ms, failure from hook_deliveries
     where hook_id = $1 order by at_ms desc, event_id desc`,
    hookId,
  )
}

/** Returns up to `limit` entries of the audit log of an organization after a position, oldest first. */
export function entriesAfter(sql: Reader, orgId: string, position: number, limit: number): Promise<AuditRow[]> {
  return sql.all(
    `select seq, at_ms, actor, how, client, action, project_slug, stage_slug, names, name_count, revision, subject, request_id
     from audit where org_id = $1 and seq > $2 order by seq limit $3`,
    orgId,
    position,
    limit,
  )
}
