/**
 * Direct access of tests to the store of a data directory. On PostgreSQL each data directory has a separate database, which
 * is empty again when the folder is gone.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { inject } from 'vitest'
import { openPostgres } from '../src/storage/postgres.ts'
import type { Sql } from '../src/storage/sql.ts'
import { openSqlite } from '../src/storage/sqlite.ts'
import { newMigratedDatabase } from './postgres.ts'

/** SQLITE_BUSY: another connection has the lock. */
const sqliteBusy = 5

/** Whether the tests run on PostgreSQL. The same tests run on both engines, depending on the project. */
export const onPostgres = process.env['ROLLKEY_TEST_STORE'] === 'postgres'

const databases = new Map<string, string>()

/** Returns the settings that name the store, without the prefix ROLLKEY_. */
export async function storeSettings(dataDir: string): Promise<{ DATABASE_URL?: string }> {
  if (!onPostgres) return {}
  let url = existsSync(dataDir) ? databases.get(dataDir) : undefined
  if (url === undefined) {
    url = await newMigratedDatabase(inject('postgresUrl'))
    databases.set(dataDir, url)
  }
  return { DATABASE_URL: url }
}

type Row = Record<string, unknown>
type Parameter = string | number | Uint8Array

/**
 * Opens the store of a stopped service. Of a running one, a transaction may be under way in this thread, which cannot end while SQLite waits
 * for it here.
 */
export async function openStore(dataDir: string): Promise<Sql> {
  const { DATABASE_URL } = await storeSettings(dataDir)
  return DATABASE_URL === undefined ? openSqlite(path.join(dataDir, 'rollkey.db')) : openPostgres(DATABASE_URL, 1)
}

/** Runs a statement with parameters $1, $2 … on a separate connection and returns its rows. */
export function query(dataDir: string, text: string, ...params: Parameter[]): Promise<Row[]> {
  return run(dataDir, 'rollkey.db', 'public', text, params)
}

/** Runs a statement on the tables of the embedded identity provider and returns its rows. */
export function queryIdentity(dataDir: string, text: string, ...params: Parameter[]): Promise<Row[]> {
  return run(dataDir, 'identity.db', 'rollkey_identity', text, params)
}

/** Returns the tables of the service's schema, and their columns. */
export async function tablesOf(dataDir: string): Promise<Map<string, string[]>> {
  const rows = await query(
    dataDir,
    onPostgres
      ? `select table_name as name, column_name as of from information_schema.columns where table_schema = 'public'`
      : 'select t.name, c.name as of from sqlite_schema t, pragma_table_info(t.name) c',
  )
  // Those of the engine and of `owing` (migrated.ts) are not.
  const own = rows.filter((row) => !/^(sqlite_|owed)/.test(String(row['name'])))
  const tables = Map.groupBy(own, (row) => String(row['name']))
  return new Map([...tables].map(([name, columns]) => [name, columns.map((column) => String(column['of']))]))
}

async function run(dataDir: string, file: string, schema: string, text: string, params: Parameter[]) {
  const { DATABASE_URL } = await storeSettings(dataDir)
  if (DATABASE_URL === undefined) {
    const named = Object.fromEntries(params.map((value, index) => [`$${index + 1}`, value]))
    return whenFree(() => {
      const database = new DatabaseSync(path.join(dataDir, file))
      try {
        return database.prepare(text).all(named)
      } finally {
        database.close()
      }
    })
  }
  const client = new Client({ connectionString: DATABASE_URL, options: `-c search_path=${schema}` })
  await client.connect()
  const { rows } = await client.query(text, params)
  await client.end()
  return rows as Row[]
}

/** Repeats the work in later turns while the database is locked, since a service in this thread may hold the lock. */
async function whenFree<T>(work: () => T): Promise<T> {
  for (;;) {
    try {
      return work()
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error
      await setTimeout(1)
    }
  }
}

/** Returns all stored data as text to search in: each file of the data directory, and each row of the database. */
export async function storedText(dataDir: string): Promise<string> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const texts = files.map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'latin1'))
  const { DATABASE_URL } = await storeSettings(dataDir)
  if (DATABASE_URL !== undefined) texts.push(await rowsOf(DATABASE_URL))
  return texts.join('\n')
}

async function rowsOf(url: string): Promise<string> {
  // Bytes are unchanged, not in hexadecimal.
  const client = new Client({ connectionString: url, options: '-c bytea_output=escape' })
  await client.connect()
  const { rows: tables } = await client.query<{ at: string }>(
    `select format('%I.%I', table_schema, table_name) as at from information_schema.tables
     where table_schema in ('public', 'rollkey_identity')`,
  )
  const texts: string[] = []
  for (const { at } of tables) {
    const { rows } = await client.query<{ row: string }>(`select cast(t as text) as row from ${at} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  await client.end()
  return texts.join('\n')
}
