/** Real files for one test, removed after it. */
import path from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { UsageJournal } from '../../src/storage/usage-journal.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { newSchema } from '../../testkit/postgres.ts'

export const silent = createLog('silent')

/** Opens a database with this build's schema on a PostgreSQL that several nodes may share. */
export async function temporaryShared(nowMs: number): Promise<Sql> {
  const sql = await openPostgres(await newSchema(inject('postgresUrl')), 10)
  onTestFinished(() => sql.close())
  await migrate(sql, nowMs, silent)
  return sql
}

/** Opens an embedded database with this build's schema. */
export async function temporaryStore(nowMs: number): Promise<Sql> {
  const sql = openSqlite(path.join(temporaryFolder(), 'rollkey.db'))
  onTestFinished(() => sql.close())
  await migrate(sql, nowMs, silent)
  return sql
}

/** Opens the journal of an embedded store. A store has one. */
export async function temporaryJournal(sql: Sql): Promise<UsageJournal> {
  const journal = await UsageJournal.open(sql, temporaryFolder(), silent)
  onTestFinished(() => journal.close())
  return journal
}
