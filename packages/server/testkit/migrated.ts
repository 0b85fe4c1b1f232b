/** Stores with the schema of this build. Each is a copy of one that was migrated once, which takes a tenth of the time. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLog } from '../src/base/log.ts'
import { migrate } from '../src/storage/migrate.ts'
import { openSqlite } from '../src/storage/sqlite.ts'

/**
 * Statements that make a commit fail in which a stage moved and the audit log did not grow: readers of live events would not learn of it (`logEnds`). A
 * deferred foreign key to nothing checks at the commit that nothing is owed.
 */
export const owing: readonly string[] = [
  'create table owed_nothing (stage_id text primary key)',
  'create table owed (stage_id text primary key references owed_nothing deferrable initially deferred)',
  ...['insert', 'update of revision, deleted_at_ms, changes_moved'].map(
    (event, index) =>
      `create trigger owe_${index} after ${event} on stages begin insert or ignore into owed values (new.id); end`,
  ),
  ...['insert', 'update'].map(
    (event) => `create trigger pay_${event} after ${event} on audit_heads begin delete from owed; end`,
  ),
]

const stores = new Map<string, Promise<Buffer>>()

async function migratedStore(nowMs: number, more: readonly string[]): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-migrated-'))
  try {
    const file = path.join(folder, 'rollkey.db')
    const sql = openSqlite(file)
    await migrate(sql, nowMs, createLog('silent'))
    await sql.tx(async (tx) => {
      for (const statement of more) await tx.all(statement)
    })
    await sql.close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes an embedded store that was migrated at a time, the same one for all tests of a process. `more` are statements for the schema. */
export async function writeMigratedStore(file: string, nowMs: number, more: readonly string[] = []): Promise<void> {
  const key = [nowMs, ...more].join('\n')
  let store = stores.get(key)
  if (!store) stores.set(key, (store = migratedStore(nowMs, more)))
  writeFileSync(file, await store)
}
