/**
 * The SQL port: one SQL text serves every engine. Rules of the text (docs/decisions/0002-one-sql-text.md): column types are
 * text, bigint, double precision and bytea; parameters are $1, $2 …; time is a parameter; code sorts rows into wire order;
 * a state changes by one conditional `update … returning`; insert-once is `on conflict do nothing returning`; the only
 * custom function is `chain` (storage/chain.ts).
 * `test/storage/sql.suite.ts` defines what an engine must do.
 */
export type Value = string | number | Uint8Array | null

export interface Reader {
  /** Returns the rows of one statement. Throws StoreUnavailable when the engine cannot answer. */
  all<Row>(text: string, ...params: Value[]): Promise<Row[]>
}

/** An open transaction. Callers await nothing but SQL while it is open. */
export interface Tx extends Reader {
  /**
   * A condition for statements that are sent together and change something. It is false once the first of them has not returned the row that
   * is required, so that the others do nothing. Undefined where the first is answered before they are sent.
   */
  readonly guard?: string
  /** Throws if the audit log of an organization takes no entries now. Undefined if all take them. */
  readonly assertAuditOpen?: (orgId: string) => void
  /** Runs several statements without parameters, for migrations. */
  script(text: string): Promise<void>
}

/** A transaction whose statements are all sent before the first of them is answered. */
export interface AtOnceTx extends Tx {
  /**
   * Returns the transaction for statements that have to return a row, because others depend on it. If one returns none, the transaction
   * fails with the error.
   */
  requiring(otherwise: () => Error): Tx
}

/** Sends statements without awaiting one. Returns the promises of all of them. */
export type Send = (tx: AtOnceTx) => readonly Promise<unknown>[]

/**
 * The failure that an acknowledged transaction survives: `power`, a power cut; `process`, kill -9 (a power cut may then
 * lose the last second).
 */
export type Durability = 'power' | 'process'

export interface Sql extends Reader {
  /**
   * Runs `work`, and commits if it returns or rolls back if it throws. A refusal that must record something is therefore
   * returned, not thrown. Other transactions may commit between its statements. A row that it has written stays locked
   * until its end.
   */
  tx<T>(work: (tx: Tx) => Promise<T>, durability?: Durability): Promise<T>
  /**
   * Runs a transaction whose statements do not depend on each other's rows, except as `requiring` says. It takes one round trip, with its
   * commit. Throws the error of the first statement that fails, and then nothing is stored.
   */
  atOnce(send: Send, durability?: Durability): Promise<void>
  /** Runs a transaction that excludes all others of this kind, in all processes and for any time. Used by migrations. */
  alone<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Statement with which an engine creates the record of migrations when it opens an empty database. */
export const migrationsTable =
  'create table if not exists migrations (id bigint primary key, name text not null, applied_at_ms bigint not null)'

/** Sends statements in an open transaction. Throws the first failure in their order, which is the reason of those after it. */
export async function sendIn(tx: Tx, send: Send): Promise<void> {
  const requiring = (otherwise: () => Error): Tx => ({
    async all<Row>(text: string, ...params: Value[]) {
      const rows = await tx.all<Row>(text, ...params)
      if (rows.length === 0) throw otherwise()
      return rows
    },
    script: (text) => tx.script(text),
  })
  const atOnce: AtOnceTx = {
    all: (text, ...params) => tx.all(text, ...params),
    script: (text) => tx.script(text),
    ...(tx.assertAuditOpen && { assertAuditOpen: tx.assertAuditOpen }),
    requiring,
  }
  const sent = await Promise.allSettled(send(atOnce))
  const failed = sent.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Returns the first row of a statement that returns at most one. */
export async function first<Row>(rows: Promise<Row[]>): Promise<Row | undefined> {
  return (await rows)[0]
}
