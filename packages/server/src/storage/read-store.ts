import { existsSync } from 'node:fs'
import path from 'node:path'
import { sentenceOf } from './database-problems.ts'
import { readSqlite } from './sqlite.ts'
import type { Sql } from './sql.ts'

interface StoreSettings {
  readonly DATA_DIR: string
  readonly DATABASE_URL?: string | undefined
}

/**
 * Opens the store to read, even while a server uses it. Returns undefined if there is no embedded store yet. Throws an error with a message
 * for the operator if the database cannot be used.
 */
export async function readStore({ DATABASE_URL, DATA_DIR }: StoreSettings): Promise<Sql | undefined> {
  if (DATABASE_URL === undefined) {
    const file = path.join(DATA_DIR, 'rollkey.db')
    return existsSync(file) ? readSqlite(file) : undefined
  }
  const { connectPostgres } = await import('./postgres.ts')
  const sql = connectPostgres(DATABASE_URL, 1)
  try {
    await sql.all('select 1')
    return sql
  } catch (error) {
    await sql.close()
    throw new Error(sentenceOf(error) ?? unanswered, { cause: error })
  }
}

const unanswered =
  'The database of ROLLKEY_DATABASE_URL does not answer: start it, or correct its address and password.'
