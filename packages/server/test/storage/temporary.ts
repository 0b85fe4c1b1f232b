/** Real files for one test, removed after it. */
import path from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { UsageJournal } from '../../src/storage/usage-journal.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { writeMigratedStore } from '../../testkit/migrated.ts'
import { newMigratedDatabase } from '../../testkit/postgres.ts'

export const silent = createLog('silent')

/** Opens a database with this build's schema on a PostgreSQL that several nodes may share. */
export async function temporaryShared(): Promise<Sql> {
  const sql = await openPostgres(await newMigratedDatabase(inject('postgresUrl')), 10)
  onTestFinished(() => sql.close())
  return sql
}

/** Opens an embedded database with this build's schema. */
export async function temporaryStore(nowMs: number): Promise<Sql> {
  const file = path.join(temporaryFolder(), 'rollkey.db')
  await writeMigratedStore(file, nowMs)
  const sql = openSqlite(file)
  onTestFinished(() => sql.close())
  return sql
}

/** Opens the journal of an embedded store. A store has one. */
export async function temporaryJournal(sql: Sql): Promise<UsageJournal> {
  const journal = await UsageJournal.open(sql, temporaryFolder(), silent)
  onTestFinished(() => journal.close())
  return journal
}
