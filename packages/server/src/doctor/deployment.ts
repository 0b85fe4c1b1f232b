import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../config.ts'
import { readSqlite } from '../storage/sqlite.ts'
import type { Sql } from '../storage/sql.ts'
import type { CheckInput } from './finding.ts'
import { examine, type CheckResult } from './report.ts'

/** Opens the store, even while a server uses it. Returns undefined if there is no store or it does not answer. */
async function openToRead({ DATABASE_URL, DATA_DIR }: Config): Promise<Sql | undefined> {
  if (DATABASE_URL === undefined) {
    const file = path.join(DATA_DIR, 'rollkey.db')
    return existsSync(file) ? readSqlite(file) : undefined
  }
  const { connectPostgres } = await import('../storage/postgres.ts')
  const sql = connectPostgres(DATABASE_URL, 1)
  return sql.all('select 1').then(
    () => sql,
    () => sql.close().then(() => undefined),
  )
}

/** Runs all checks on the deployment that the settings describe. Changes nothing. */
export async function examineDeployment(deployment: Omit<CheckInput, 'sql'>): Promise<CheckResult[]> {
  const sql = await openToRead(deployment.config)
  try {
    return await examine({ ...deployment, sql })
  } finally {
    await sql?.close()
  }
}
