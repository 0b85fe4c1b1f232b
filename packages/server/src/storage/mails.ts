/** Queries of mail (docs/notifications.md). */
import { leaseRow, type LeasedRow, type OutboxTable } from './leases.ts'
import { deleteSomeBefore } from './paged-deletion.ts'
import { first, type Reader, type Tx } from './sql.ts'

export interface MailRow {
  readonly id: string
  readonly kind: string
  /** Null: it is about an account. */
  readonly org_id: string | null
  /** `user:ID` or `email:ADDRESS`. */
  readonly recipient: string
  readonly thing: string
  /** JSON, without secrets. */
  readonly content: string
  /** Sealed. */
  readonly link: Buffer | null
  readonly created_at_ms: number
  readonly expires_at_ms: number
  /** Id of the message that it was first tried in; null: it was not tried. */
  readonly message: string | null
  readonly next_attempt_at_ms: number
  readonly attempts: number
}

/** How a mail ends: `dropped` is of no use, or not wanted, or not for this person anymore. */
export type MailOutcome = 'sent' | 'dropped' | 'set aside'

const columns = `id, kind, org_id, recipient, thing, content, link, created_at_ms, expires_at_ms, message, next_attempt_at_ms,
  attempts`

export const mailTable: OutboxTable = {
  name: 'mails',
  key: 'id',
  isOpen: 'ended_at_ms is null',
  columns,
  due: `select id, coalesce(org_id, '') as org_id, next_attempt_at_ms from mails
    where ended_at_ms is null and next_attempt_at_ms <= $1`,
}

/** An organization whose log has entries that were not read for mail. */
export interface LogBehind {
  readonly org_id: string
  readonly org_slug: string
  readonly idp_org_id: string
  /** Last entry of the log. */
  readonly seq: number
  /** Null: the log was never read. */
  readonly position: number | null
}

const behind = `audit_heads a join organizations o on o.id = a.org_id left join mail_positions p on p.org_id = a.org_id
     where (p.position is null or p.position < a.seq) and o.deleted_at_ms is null`

/** Query of the logs that are behind, in the form of what is due in an outbox. */
export const logsBehind = `select a.org_id as id, a.org_id, cast($1 as bigint) as next_attempt_at_ms from ${behind}`

/** Returns the log of an organization if it is behind. */
export function logBehind(sql: Reader, orgId: string): Promise<LogBehind | undefined> {
  return first(
    sql.all(
      `select a.org_id, o.slug as org_slug, o.idp_org_id, a.seq, p.position from ${behind} and a.org_id = $1`,
      orgId,
    ),
  )
}

/** Moves the position of a log. Returns true for exactly one of several callers that read from the same one. */
export async function advanceMailPosition(
  tx: Tx,
  { org_id, position }: Pick<LogBehind, 'org_id' | 'position'>,
  to: number,
): Promise<boolean> {
  const rows =
    position === null
      ? await tx.all(
          'insert into mail_positions (org_id, position) values ($1, $2) on conflict (org_id) do nothing returning org_id',
          org_id,
          to,
        )
      : await tx.all(
          'update mail_positions set position = $3 where org_id = $1 and position = $2 returning org_id',
          org_id,
          position,
          to,
        )
  return rows.length === 1
}

/** Adds a mail, unless one about the same waits for the same recipient. */
export async function insertMail(tx: Tx, row: Omit<MailRow, 'message' | 'attempts'>): Promise<void> {
  await tx.all(
    `insert into mails (id, kind, org_id, recipient, thing, content, link, created_at_ms, expires_at_ms, next_attempt_at_ms, attempts)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0) on conflict do nothing`,
    row.id,
    row.kind,
    row.org_id,
    row.recipient,
    row.thing,
    row.content,
    row.link,
    row.created_at_ms,
    row.expires_at_ms,
    row.next_attempt_at_ms,
  )
}

/** Returns how many mails of a kind there are for a recipient, sent ones too, since a time. */
export async function countMails(
  sql: Reader,
  { recipient, kind, sinceMs }: { recipient: string; kind: string; sinceMs: number },
): Promise<number> {
  const row = await first(
    sql.all<{ count: number }>(
      'select count(*) as count from mails where recipient = $1 and kind = $2 and created_at_ms >= $3',
      recipient,
      kind,
      sinceMs,
    ),
  )
  return row?.count ?? 0
}

/** A mail that waits, or that was set aside. */
export interface OpenMailRow {
  readonly id: string
  /** Slug; empty for a mail about an account. */
  readonly organization: string
  readonly created_at_ms: number
  readonly failure: string | null
  readonly outcome: MailOutcome | null
}

/** Returns the mails that wait, and those that were set aside in the last days. */
export function openMails(sql: Reader): Promise<OpenMailRow[]> {
  return sql.all(
    `select m.id, coalesce(o.slug, '') as organization, m.created_at_ms, m.failure, m.outcome
     from mails m left join organizations o on o.id = m.org_id
     where m.ended_at_ms is null or m.outcome = 'set aside' order by m.created_at_ms, m.id`,
  )
}

export interface MailLease {
  readonly untilMs: number
  /** Kinds of which many for one person are one message. */
  readonly bundled: readonly string[]
  /** How many of them are sent one by one. */
  readonly maxSingle: number
  readonly maxBundled: number
}

/**
 * Leases a due mail with those that are one message with it, which are the same at each attempt. Returns none if another node has
 * leased it.
 */
export async function leaseMail(tx: Tx, due: LeasedRow, lease: MailLease): Promise<MailRow[]> {
  const leased = await leaseRow<MailRow>(tx, mailTable, due, lease.untilMs)
  if (!leased) return []
  const message = leased.message ?? leased.id
  const ids = leased.message === null ? await newMessage(tx, leased, lease) : []
  for (const id of ids) await tx.all('update mails set message = $2 where id = $1', id, message)
  return tx.all(
    `update mails set next_attempt_at_ms = $2 where message = $1 and ended_at_ms is null returning ${columns}`,
    message,
    lease.untilMs,
  )
}

/** Returns the ids of the mails that become one message with a mail that was not tried yet. */
async function newMessage(tx: Tx, due: MailRow, { bundled, maxSingle, maxBundled }: MailLease): Promise<string[]> {
  if (!bundled.includes(due.kind)) return [due.id]
  const waiting = await tx.all<{ id: string }>(
    `select id from mails where recipient = $1 and org_id = $2 and message is null and ended_at_ms is null
       and kind in (${bundled.map((_, at) => `$${at + 4}`).join(', ')})
     order by created_at_ms, id limit $3`,
    due.recipient,
    due.org_id,
    maxBundled,
    ...bundled,
  )
  return waiting.length > maxSingle ? [...new Set([due.id, ...waiting.map(({ id }) => id)])] : [due.id]
}

/** Forgets mails that ended before a time. Returns whether there may be more. */
export function deleteMailsBefore(tx: Tx, beforeMs: number): Promise<boolean> {
  return deleteSomeBefore(tx, { table: 'mails', keys: { id: 'text' }, time: 'ended_at_ms' }, beforeMs)
}

/** Forgets all mails about an organization. */
export async function deleteMailsOf(tx: Tx, orgId: string): Promise<void> {
  await tx.all('delete from mails where org_id = $1', orgId)
  await tx.all('delete from mail_positions where org_id = $1', orgId)
}

/** Returns the kinds of mail that a person does not want, as JSON. */
export async function mailsOff(sql: Reader, userId: string): Promise<string> {
  const row = await first(sql.all<{ off: string }>('select off from mail_preferences where user_id = $1', userId))
  return row?.off ?? '[]'
}

export async function setMailsOff(tx: Tx, userId: string, off: string): Promise<void> {
  await tx.all(
    `insert into mail_preferences (user_id, off) values ($1, $2)
     on conflict (user_id) do update set off = excluded.off`,
    userId,
    off,
  )
}
