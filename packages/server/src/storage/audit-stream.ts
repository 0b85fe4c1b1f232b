/** Queries of the audit stream: how far each audit log was delivered (docs/decisions/0065-audit-stream.md). */
import { leaseRow, type LeasedRow, type OutboxTable } from './leases.ts'
import type { Reader, Tx } from './sql.ts'

export interface LeasedStreamRow extends LeasedRow {
  readonly org_id: string
  /** The organization's slug. */
  readonly organization: string
  /** The last entry that the receiver has accepted. */
  readonly position: number
  /** The last entry whose checkpoint the receiver has accepted. */
  readonly checkpoint: number
  /** Deliveries that failed, one after the other. */
  readonly attempts: number
  readonly failing_since_ms: number | null
}

/** When a log is due that was never delivered. */
const never = 0
const isBehind = `(h.seq > s.position or exists (
    select 1 from audit_checkpoints c where c.org_id = h.org_id and c.seq > s.checkpoint and c.seq <= h.seq))`

/** Logs as an outbox: those that are behind are due, also those that were never delivered. */
export const streamTable: OutboxTable = {
  name: 'audit_stream',
  key: 'org_id',
  isOpen: 'true',
  columns: `org_id, position, checkpoint, next_attempt_at_ms, attempts, failing_since_ms,
    (select slug from organizations o where o.id = audit_stream.org_id) as organization`,
  due: `select h.org_id as id, h.org_id, coalesce(s.next_attempt_at_ms, ${never}) as next_attempt_at_ms
    from audit_heads h left join audit_stream s on s.org_id = h.org_id
    where s.org_id is null or (s.next_attempt_at_ms <= $1 and ${isBehind})`,
}

/** Leases a log that is due. The first lease begins the delivery of all logs that were never delivered. */
export async function leaseStream(
  tx: Tx,
  due: LeasedRow,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<LeasedStreamRow | undefined> {
  if (due.next_attempt_at_ms !== never) return leaseRow(tx, streamTable, due, untilMs)
  await tx.all(
    `insert into audit_stream (org_id, position, checkpoint, since_ms, next_attempt_at_ms, attempts)
     select h.org_id, 0, 0, cast($1 as bigint), cast($1 as bigint), 0 from audit_heads h
     where not exists (select 1 from audit_stream s where s.org_id = h.org_id)
     on conflict (org_id) do nothing`,
    nowMs,
  )
  return leaseRow(tx, streamTable, { id: due.id, next_attempt_at_ms: nowMs }, untilMs)
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
