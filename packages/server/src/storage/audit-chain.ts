/** Queries of the hash chain of an audit log and of its signed checkpoints. */
import { dayOf } from '../base/clock.ts'
import type { AuditContent } from './audit-content.ts'
import { maxPicked, pickedRows } from './picked.ts'
import { first, type Reader, type Tx } from './sql.ts'

export interface ChainedRow extends AuditContent {
  readonly seq: number
  readonly at_ms: number
  readonly action: string
  /** Null in entries from before the chain. */
  readonly content_digest: string | null
  readonly chain: string | null
}

/** Returns the entries after one number and up to another, the oldest first. */
export function entriesBetween(
  sql: Reader,
  orgId: string,
  after: number,
  upTo: number,
  limit: number,
): Promise<ChainedRow[]> {
  return sql.all(
    `select seq, at_ms, action, content_digest, chain, salt, actor, how, client, project_slug, stage_slug, names,
       name_count, revision, subject, request_id
     from audit where org_id = $1 and seq > $2 and seq <= $3 order by seq limit $4`,
    orgId,
    after,
    upTo,
    limit,
  )
}

/** The end of a chain. */
export interface HeadRow {
  readonly seq: number
  /** Number of the last entry before the chain began. */
  readonly chained_from: number
  readonly chain: string
}

/**
 * Returns the end of a chain, with the number of the last stored entry. The two numbers are equal unless someone changed the
 * tables.
 */
export function headOf(sql: Reader, orgId: string): Promise<(HeadRow & { readonly last_seq: number }) | undefined> {
  return first(
    sql.all(
      `select coalesce(h.seq, 0) as seq, coalesce(h.chained_from, 0) as chained_from, coalesce(h.chain, '') as chain,
         coalesce((select max(a.seq) from audit a where a.org_id = o.id), 0) as last_seq
       from organizations o left join audit_heads h on h.org_id = o.id where o.id = $1`,
      orgId,
    ),
  )
}

export interface CheckpointRow extends HeadRow {
  readonly org_id: string
  readonly at_ms: number
  readonly signature: string
}

/** Returns the ends of up to `maxPicked` chains, of the organizations after one, and whether each has grown since its last checkpoint. */
export function headsAfter(
  sql: Reader,
  orgId: string,
): Promise<(HeadRow & Pick<CheckpointRow, 'org_id'> & { readonly has_grown: number })[]> {
  return sql.all(
    `select h.org_id, h.seq, h.chained_from, h.chain, case when h.seq > h.chained_from
       and h.seq > coalesce((select max(c.seq) from audit_checkpoints c where c.org_id = h.org_id), 0) then 1 else 0 end as has_grown
     from audit_heads h where h.org_id > $1 order by h.org_id limit ${maxPicked}`,
    orgId,
  )
}

/** Inserts a checkpoint. Returns false if another node has made one with this number. */
export async function insertCheckpoint(tx: Tx, row: CheckpointRow): Promise<boolean> {
  const rows = await tx.all(
    `insert into audit_checkpoints (org_id, seq, chained_from, at_ms, chain, signature) values ($1, $2, $3, $4, $5, $6)
     on conflict (org_id, seq) do nothing returning seq`,
    row.org_id,
    row.seq,
    row.chained_from,
    row.at_ms,
    row.chain,
    row.signature,
  )
  return rows.length === 1
}

/** Returns the checkpoints of an organization, the oldest first. */
export function checkpointsOf(sql: Reader, orgId: string): Promise<CheckpointRow[]> {
  return sql.all(
    'select org_id, seq, chained_from, at_ms, chain, signature from audit_checkpoints where org_id = $1 order by seq',
    orgId,
  )
}

/** Returns the checkpoints of an organization after one entry and up to another, the oldest first. */
export function checkpointsBetween(sql: Reader, orgId: string, after: number, upTo: number): Promise<CheckpointRow[]> {
  return sql.all(
    `select org_id, seq, chained_from, at_ms, chain, signature from audit_checkpoints
     where org_id = $1 and seq > $2 and seq <= $3 order by seq`,
    orgId,
    after,
    upTo,
  )
}

/** Deletes the content of up to `limit` entries of an action from before a time. Returns how many. */
export async function deleteContentBefore(tx: Tx, action: string, beforeMs: number, limit: number): Promise<number> {
  const rows = await tx.all(
    `update audit set salt = null, actor = '', how = '', client = '', project_slug = null, stage_slug = null, names = null,
       name_count = null, revision = null, subject = null, request_id = null
     where how <> '' and (org_id, seq) in (
       select org_id, seq from audit where action = $1 and at_ms < $2 and how <> '' limit $3)
     returning seq`,
    action,
    beforeMs,
    limit,
  )
  return rows.length
}

/** The place of a checkpoint among all in the order of time. */
export type CheckpointPosition = Pick<CheckpointRow, 'at_ms' | 'org_id' | 'seq'>

/**
 * Looks at the next `maxPicked` checkpoints from before a time, and deletes those that another one of the same UTC day follows. Returns the
 * last of them; undefined if no more follow.
 */
export async function thinSomeCheckpoints(
  tx: Tx,
  beforeMs: number,
  after: CheckpointPosition,
): Promise<CheckpointPosition | undefined> {
  const page = await tx.all<CheckpointPosition & { readonly next_at_ms: number | null }>(
    `select c.at_ms, c.org_id, c.seq, (select n.at_ms from audit_checkpoints n
         where n.org_id = c.org_id and n.seq > c.seq order by n.seq limit 1) as next_at_ms
     from audit_checkpoints c where c.at_ms < $1 and (c.at_ms, c.org_id, c.seq) > ($2, $3, $4)
     order by c.at_ms, c.org_id, c.seq limit ${maxPicked}`,
    beforeMs,
    after.at_ms,
    after.org_id,
    after.seq,
  )
  const followed = page.filter(
    ({ at_ms: atMs, next_at_ms: nextMs }) => nextMs !== null && dayOf(nextMs) === dayOf(atMs),
  )
  if (followed.length > 0) {
    const rows = followed.map(({ org_id: orgId, seq }) => [orgId, seq])
    const { text, params } = pickedRows({ org_id: 'text', seq: 'bigint' }, rows)
    await tx.all(
      `${text} delete from audit_checkpoints where (org_id, seq) in (select org_id, seq from picked)`,
      ...params,
    )
  }
  return page.length < maxPicked ? undefined : page.at(-1)
}
