/** Queries of mail (docs/notifications.md). */
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

export function logsBehind(sql: Reader, limit: number): Promise<LogBehind[]> {
  return sql.all(
    `select a.org_id, o.slug as org_slug, o.idp_org_id, a.seq, p.position
     from audit_heads a join organizations o on o.id = a.org_id left join mail_positions p on p.org_id = a.org_id
     where (p.position is null or p.position < a.seq) and o.deleted_at_ms is null limit $1`,
    limit,
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

/** Makes the mails due that failed and wait. Returns their ids. */
export async function retryMails(tx: Tx, nowMs: number): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `update mails set next_attempt_at_ms = $1
     where ended_at_ms is null and failure is not null and next_attempt_at_ms > $1 returning id`,
    nowMs,
  )
  return rows.map(({ id }) => id)
}

/** Returns the mail that is due for longest. */
export function dueMail(sql: Reader, nowMs: number): Promise<MailRow | undefined> {
  return first(
    sql.all(
      `select ${columns} from mails where ended_at_ms is null and next_attempt_at_ms <= $1 order by next_attempt_at_ms, id limit 1`,
      nowMs,
    ),
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
export async function leaseMail(tx: Tx, due: MailRow, lease: MailLease): Promise<MailRow[]> {
  const taken = await tx.all(
    'update mails set next_attempt_at_ms = $3 where id = $1 and next_attempt_at_ms = $2 and ended_at_ms is null returning id',
    due.id,
    due.next_attempt_at_ms,
    lease.untilMs,
  )
  if (taken.length === 0) return []
  const message = due.message ?? due.id
  const ids = due.message === null ? await newMessage(tx, due, lease) : []
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

/** A message that this node sends: its mails have the same. */
type Leased = Pick<MailRow, 'message' | 'next_attempt_at_ms'>

/** Ends a mail while the lease lasts, and erases its link. Returns false if the lease has ended. */
export async function endMail(
  tx: Tx,
  { id, next_attempt_at_ms }: Pick<MailRow, 'id' | 'next_attempt_at_ms'>,
  { outcome, failure, nowMs }: { outcome: MailOutcome; failure: string | null; nowMs: number },
): Promise<boolean> {
  const rows = await tx.all(
    `update mails set ended_at_ms = $3, outcome = $4, failure = $5, link = null
     where id = $1 and next_attempt_at_ms = $2 and ended_at_ms is null returning id`,
    id,
    next_attempt_at_ms,
    nowMs,
    outcome,
    failure,
  )
  return rows.length === 1
}

/** Records that a message failed, and when it is tried again, while the lease lasts. */
export async function retryMail(
  tx: Tx,
  { message, next_attempt_at_ms }: Leased,
  { failure, nextAttemptAtMs }: { failure: string; nextAttemptAtMs: number },
): Promise<void> {
  await tx.all(
    `update mails set attempts = attempts + 1, failure = $3, next_attempt_at_ms = $4
     where message = $1 and next_attempt_at_ms = $2 and ended_at_ms is null`,
    message,
    next_attempt_at_ms,
    failure,
    nextAttemptAtMs,
  )
}

/** Stores the sealed link of a mail while the lease lasts. Returns false if the lease has ended. */
export async function setMailLink(
  tx: Tx,
  { id, next_attempt_at_ms }: Pick<MailRow, 'id' | 'next_attempt_at_ms'>,
  link: Buffer,
): Promise<boolean> {
  const rows = await tx.all(
    'update mails set link = $3 where id = $1 and next_attempt_at_ms = $2 and ended_at_ms is null returning id',
    id,
    next_attempt_at_ms,
    link,
  )
  return rows.length === 1
}

/** Forgets up to `limit` mails that ended before a time. Returns how many. */
export async function forgetMails(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const rows = await tx.all(
    `delete from mails where id in (select id from mails where ended_at_ms is not null and ended_at_ms < $1 limit $2) returning id`,
    beforeMs,
    limit,
  )
  return rows.length
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
