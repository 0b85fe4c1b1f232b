/** Queries of the audit stream: how far each audit log was delivered (docs/decisions/0065-audit-stream.md). */
import { first, type Reader, type Tx } from './sql.ts'

export interface StreamRow {
  readonly org_id: string
  /** The last entry that the receiver has accepted. */
  readonly position: number
  /** The last entry whose checkpoint the receiver has accepted. */
  readonly checkpoint: number
  readonly next_attempt_at_ms: number
  /** Deliveries that failed, one after the other. */
  readonly attempts: number
}

/** A log that this node delivers, and the slug of its organization. */
export type LeasedStreamRow = StreamRow & { readonly organization: string }

const isBehind = `(h.seq > s.position or exists (
    select 1 from audit_checkpoints c where c.org_id = h.org_id and c.seq > s.checkpoint and c.seq <= h.seq))`

/** Returns whether a log is behind and due. */
export async function areStreamsBehind(sql: Reader, nowMs: number): Promise<boolean> {
  const rows = await sql.all(
    `select h.org_id from audit_heads h left join audit_stream s on s.org_id = h.org_id
     where s.org_id is null or (s.next_attempt_at_ms <= $1 and ${isBehind}) limit 1`,
    nowMs,
  )
  return rows.length === 1
}

/** Leases logs that are behind and due, also those that were never delivered. No other node delivers them until `untilMs`. */
export async function leaseStreams(
  tx: Tx,
  { nowMs, untilMs, limit }: { nowMs: number; untilMs: number; limit: number },
): Promise<LeasedStreamRow[]> {
  await tx.all(
    `insert into audit_stream (org_id, position, checkpoint, since_ms, next_attempt_at_ms, attempts)
     select h.org_id, 0, 0, cast($1 as bigint), cast($1 as bigint), 0 from audit_heads h
     where not exists (select 1 from audit_stream s where s.org_id = h.org_id)
     on conflict (org_id) do nothing`,
    nowMs,
  )
  return tx.all(
    `update audit_stream set next_attempt_at_ms = $2
     where next_attempt_at_ms <= $1 and org_id in (
       select s.org_id from audit_stream s join audit_heads h on h.org_id = s.org_id
       where s.next_attempt_at_ms <= $1 and ${isBehind} order by s.next_attempt_at_ms limit $3)
     returning org_id, position, checkpoint, next_attempt_at_ms, attempts,
       (select slug from organizations o where o.id = audit_stream.org_id) as organization`,
    nowMs,
    untilMs,
    limit,
  )
}

/** Stores what the receiver has accepted while the lease lasts, and extends or ends the lease. Returns false if it has ended. */
export async function settleStream(
  tx: Tx,
  leased: Pick<StreamRow, 'org_id' | 'next_attempt_at_ms'>,
  { position, checkpoint, untilMs }: { position: number; checkpoint: number; untilMs: number },
): Promise<boolean> {
  const rows = await tx.all(
    `update audit_stream set position = $3, checkpoint = $4, next_attempt_at_ms = $5, attempts = 0, failing_since_ms = null,
       failure = null
     where org_id = $1 and next_attempt_at_ms = $2 returning org_id`,
    leased.org_id,
    leased.next_attempt_at_ms,
    position,
    checkpoint,
    untilMs,
  )
  return rows.length === 1
}

/** Records a failed delivery while the lease lasts. Returns since when deliveries fail, or undefined if the lease has ended. */
export async function recordStreamFailure(
  tx: Tx,
  leased: Pick<StreamRow, 'org_id' | 'next_attempt_at_ms'>,
  failed: { nowMs: number; nextAttemptAtMs: number; failure: string },
): Promise<number | undefined> {
  const row = await first(
    tx.all<{ failing_since_ms: number }>(
      `update audit_stream set next_attempt_at_ms = $3, attempts = attempts + 1,
         failing_since_ms = coalesce(failing_since_ms, $4), failure = $5
       where org_id = $1 and next_attempt_at_ms = $2 returning failing_since_ms`,
      leased.org_id,
      leased.next_attempt_at_ms,
      failed.nextAttemptAtMs,
      failed.nowMs,
      failed.failure,
    ),
  )
  return row?.failing_since_ms
}

/** Entries of a log that the receiver has not accepted yet. */
export interface UndeliveredRow {
  readonly org_id: string
  readonly organization: string
  readonly entries: number
  /** When the first of them was written. */
  readonly oldest_at_ms: number
  /** Since when the log is delivered. */
  readonly since_ms: number
  readonly failing_since_ms: number | null
  readonly failure: string | null
}

/** Returns the logs with entries that the receiver has not accepted yet. */
export function undelivered(sql: Reader): Promise<UndeliveredRow[]> {
  return sql.all(
    `select s.org_id, o.slug as organization, h.seq - s.position as entries, a.at_ms as oldest_at_ms, s.since_ms, s.failing_since_ms,
       s.failure
     from audit_stream s join audit_heads h on h.org_id = s.org_id join organizations o on o.id = s.org_id
       join audit a on a.org_id = s.org_id and a.seq = s.position + 1
     where h.seq > s.position`,
  )
}

/** Returns since when entries wait: since the first was written, but at most since the log is delivered. */
export function waitsSinceMs({ oldest_at_ms: oldestMs, since_ms: sinceMs }: UndeliveredRow): number {
  return Math.max(oldestMs, sinceMs)
}

/** Makes the logs that wait after a failure due. Returns their organizations' ids. */
export async function retryStreams(tx: Tx, nowMs: number): Promise<string[]> {
  const rows = await tx.all<{ org_id: string }>(
    'update audit_stream set next_attempt_at_ms = $1 where failure is not null and next_attempt_at_ms > $1 returning org_id',
    nowMs,
  )
  return rows.map((row) => row.org_id)
}
