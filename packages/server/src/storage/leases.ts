/**
 * Queries that all outboxes share. A node leases a row by moving its `next_attempt_at_ms`, which is the fence of the lease: what the node
 * stores later has no effect once another node has moved it again.
 */
import { first, type Reader, type Tx, type Value } from './sql.ts'

/** A table of rows that nodes lease. */
export interface OutboxTable {
  readonly name: string
  /** Column that identifies a row. */
  readonly key: string
  /** Condition of the rows that may be sent. */
  readonly isOpen: string
  /** What a lease returns, besides `id`. */
  readonly columns: string
  /** Query of `id`, `org_id` and `next_attempt_at_ms` of what is due at the time $1. */
  readonly due: string
}

/** A row that a node leases or has leased. */
export interface LeasedRow {
  readonly id: string
  readonly next_attempt_at_ms: number
}

/** A row that is due. `place`: its number among those of its organization. */
export interface DueRow extends LeasedRow {
  readonly outbox: string
  readonly org_id: string
  readonly place: number
}

interface DueQuery {
  readonly name: string
  readonly due: string
  /** Maximum rows of the outbox. */
  readonly places: number
}

/**
 * Returns what is due in outboxes by one statement: in each, the row of each organization that is due for longest, then the second of
 * each …
 */
export async function dueRows(sql: Reader, outboxes: readonly DueQuery[], nowMs: number): Promise<DueRow[]> {
  const queries = outboxes.map(
    ({ name, due, places }) =>
      `select * from (select '${name}' as outbox, id, org_id, next_attempt_at_ms,
         row_number() over (partition by org_id order by next_attempt_at_ms, id) as place
       from (${due}) due order by place, next_attempt_at_ms, id limit ${places}) ranked`,
  )
  const rows = await sql.all<DueRow>(queries.join(' union all '), nowMs)
  return rows.toSorted(
    (a, b) => a.place - b.place || a.next_attempt_at_ms - b.next_attempt_at_ms || (a.id < b.id ? -1 : 1),
  )
}

/** Leases a row that is due. No other node sends it until `untilMs`. Returns undefined if it is not due anymore. */
export function leaseRow<Row extends LeasedRow>(
  tx: Tx,
  { name, key, isOpen, columns }: OutboxTable,
  due: LeasedRow,
  untilMs: number,
): Promise<Row | undefined> {
  return first(
    tx.all<Row>(
      `update ${name} set next_attempt_at_ms = $3 where ${key} = $1 and next_attempt_at_ms = $2 and ${isOpen}
       returning ${key} as id, ${columns}`,
      due.id,
      due.next_attempt_at_ms,
      untilMs,
    ),
  )
}

/** Stores columns of a row while the lease lasts. Returns false if it has ended. */
export async function settleRow(
  tx: Tx,
  { name, key, isOpen }: OutboxTable,
  leased: LeasedRow,
  changes: Readonly<Record<string, Value>>,
): Promise<boolean> {
  const columns = Object.keys(changes).map((column, at) => `${column} = $${at + 3}`)
  const rows = await tx.all(
    `update ${name} set ${columns.join(', ')} where ${key} = $1 and next_attempt_at_ms = $2 and ${isOpen} returning ${key}`,
    leased.id,
    leased.next_attempt_at_ms,
    ...Object.values(changes),
  )
  return rows.length === 1
}

/** Makes the rows due that wait after a failure. Returns their ids. */
export async function retryRows(tx: Tx, { name, key, isOpen }: OutboxTable, nowMs: number): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `update ${name} set next_attempt_at_ms = $1
     where ${isOpen} and failure is not null and next_attempt_at_ms > $1 returning ${key} as id`,
    nowMs,
  )
  return rows.map(({ id }) => id)
}
