/**
 * Opens the database of the embedded provider: a separate file next to the embedded store, or a separate schema in PostgreSQL.
 * The library creates and migrates the tables, so the rules for the service's SQL do not apply to them.
 */
import { DatabaseSync } from 'node:sqlite'
import type { BetterAuthOptions } from 'better-auth'
import { assertIdentitySchema, identitySchema } from '../storage/search-path.ts'
import type { DatabaseWatch } from '../storage/database-watch.ts'
import type { Sql } from '../storage/sql.ts'

export interface IdentityDatabase {
  readonly database: NonNullable<BetterAuthOptions['database']>
  /** Runs `work` while no other process runs work through this method. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Returns a database error as the error type that the rest of the service handles. */
  toStoreError(error: unknown): unknown
  /** Returns whether an error means that the connection is lost or the database is not working. */
  isDatabaseFailure(error: unknown): boolean
  close(): Promise<void>
}

/** Opens the file. `checkpoints`: who moves its log to the file, it or the replica, which must first have read what is in it. */
export async function openIdentityFile(
  file: string,
  checkpoints: 'own' | 'by replica' = 'own',
): Promise<IdentityDatabase> {
  const database = new DatabaseSync(file, { timeout: 1_000 })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = on; pragma foreign_keys = on')
  if (checkpoints === 'by replica') database.exec('pragma wal_autocheckpoint = 0')
  return {
    database,
    alone: (work) => work(),
    toStoreError: (error) => error,
    isDatabaseFailure: () => false,
    close: async () => database.close(),
  }
}

const connections = 5

/** The table of memberships, for the service's own statements. */
export const memberTable = `${identitySchema}.member`

/** Opens the schema. `sql` must use the same database. Throws an error with a message for the operator. */
export async function openIdentitySchema(url: string, sql: Sql, watch?: DatabaseWatch): Promise<IdentityDatabase> {
  await sql.alone((tx) => tx.script(`create schema if not exists ${identitySchema}`))
  const { isDatabaseFailure, unavailable } = await import('../storage/postgres-errors.ts')
  const { openPoolIn } = await import('../storage/postgres-pool.ts')
  const pool = openPoolIn(identitySchema, url, connections, watch)
  try {
    await assertIdentitySchema({ all: async (text) => (await pool.query(text)).rows })
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    database: pool,
    alone: (work) => sql.alone(work),
    toStoreError: unavailable,
    isDatabaseFailure,
    close: () => pool.end(),
  }
}
