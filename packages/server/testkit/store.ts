/**
 * Direct access of tests to the store of a data directory. On PostgreSQL each data directory has a separate database, which
 * is empty again when the folder is gone.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import path from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { newMigratedDatabase } from './postgres.ts'

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

/** Runs a statement with parameters $1, $2 … on a separate connection and returns its rows. */
export function query(dataDir: string, text: string, ...params: Parameter[]): Promise<Row[]> {
  return run(dataDir, 'rollkey.db', 'public', text, params)
}

/** Runs a statement on the tables of the embedded identity provider and returns its rows. */
export function queryIdentity(dataDir: string, text: string, ...params: Parameter[]): Promise<Row[]> {
  return run(dataDir, 'identity.db', 'rollkey_identity', text, params)
}

async function run(dataDir: string, file: string, schema: string, text: string, params: Parameter[]) {
  const { DATABASE_URL } = await storeSettings(dataDir)
  if (DATABASE_URL === undefined) {
    const database = new DatabaseSync(path.join(dataDir, file), { timeout: 5_000 })
    const named = Object.fromEntries(params.map((value, index) => [`$${index + 1}`, value]))
    const rows = database.prepare(text).all(named) as Row[]
    database.close()
    return rows
  }
  const client = new Client({ connectionString: DATABASE_URL, options: `-c search_path=${schema}` })
  await client.connect()
  const { rows } = await client.query(text, params)
  await client.end()
  return rows as Row[]
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
