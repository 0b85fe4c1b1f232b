/**
 * Where the embedded provider keeps its tables: a file of its own beside the embedded store, or a schema of its own in
 * PostgreSQL. The library makes and changes them, so the rules for the service's SQL do not hold here.
 */
import { DatabaseSync } from 'node:sqlite'
import type { BetterAuthOptions } from 'better-auth'
import { assertIdentitySchema, identitySchema } from '../storage/search-path.ts'
import type { Sql } from '../storage/sql.ts'

export interface IdentityDatabase {
  readonly database: NonNullable<BetterAuthOptions['database']>
  /** Runs `work` while no other process runs such. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** An error of the database as the rest of the service knows it. */
  faultOf(error: unknown): unknown
  /** Whether an error is of the way to the database, or of a database that cannot work. */
  isLost(error: unknown): boolean
  close(): Promise<void>
}

export async function openIdentityFile(file: string): Promise<IdentityDatabase> {
  const database = new DatabaseSync(file, { timeout: 1_000 })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  return {
    database,
    alone: (work) => work(),
    faultOf: (error) => error,
    isLost: () => false,
    close: async () => database.close(),
  }
}

const connections = 5

/** Who is a member of what, for statements of the service's own. */
export const memberTable = `${identitySchema}.member`

/** `sql` is of the same database. Throws a sentence for the operator. */
export async function openIdentitySchema(url: string, sql: Sql): Promise<IdentityDatabase> {
  await sql.alone((tx) => tx.script(`create schema if not exists ${identitySchema}`))
  const { isLost, openPool, unavailable } = await import('../storage/postgres.ts')
  const pool = openPool(url, connections, identitySchema)
  try {
    await assertIdentitySchema({ all: async (text) => (await pool.query(text)).rows })
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    database: pool,
    alone: (work) => sql.alone(work),
    faultOf: unavailable,
    isLost,
    close: () => pool.end(),
  }
}
