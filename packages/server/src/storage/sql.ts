/**
 * The SQL port: one SQL text serves every engine. Rules of the text (docs/decisions/0002): column types are text,
 * bigint, double precision and bytea; parameters are $1, $2 …; time comes in as a parameter; wire order is sorted in
 * code; a state moves by one conditional `update … returning`; insert-once is `on conflict do nothing returning`; of functions of
 * ours there is one, `chain` (base/chain.ts).
 * What an engine must do is in `test/storage/sql.suite.ts`.
 */
export type Value = string | number | Uint8Array | null

export interface Reader {
  /** Rows of one statement; a missing row is an empty list. Throws StoreUnavailable when the engine cannot answer. */
  all<Row>(text: string, ...params: Value[]): Promise<Row[]>
}

/** A transaction under way. Nothing but SQL is awaited while it is open. */
export interface Tx extends Reader {
  /** Many statements without parameters, for migrations. */
  script(text: string): Promise<void>
}

/**
 * What an acknowledged transaction survives: `power` a power cut and `process` kill -9 (a power cut may then cost the
 * last second).
 */
export type Durability = 'power' | 'process'

export interface Sql extends Reader {
  /**
   * Runs `work` and commits if it returns, rolls back if it throws. A refusal that must record something is therefore
   * returned, not thrown. Others may commit between its statements; a row that it has written is its own until its end.
   */
  tx<T>(work: (tx: Tx) => Promise<T>, durability?: Durability): Promise<T>
  /** A transaction beside which nobody else, in no process, runs one of this kind, however long it takes: migrations. */
  alone<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** What an engine makes when it opens an empty database: the record of the migrations. */
export const migrationsTable =
  'create table if not exists migrations (id bigint primary key, name text not null, applied_at_ms bigint not null)'

/** The first row of a statement that gives at most one. */
export async function first<Row>(rows: Promise<Row[]>): Promise<Row | undefined> {
  return (await rows)[0]
}
