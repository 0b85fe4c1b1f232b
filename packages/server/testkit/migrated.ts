/** Stores with the schema of this build. Each is a copy of one that was migrated once, which takes a tenth of the time. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLog } from '../src/base/log.ts'
import { migrate } from '../src/storage/migrate.ts'
import { openSqlite } from '../src/storage/sqlite.ts'

const stores = new Map<number, Promise<Buffer>>()

async function migratedStore(nowMs: number): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-migrated-'))
  try {
    const file = path.join(folder, 'rollkey.db')
    const sql = openSqlite(file)
    await migrate(sql, nowMs, createLog('silent'))
    await sql.close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Writes an embedded store that was migrated at a time, the same one for all tests of a process. */
export async function writeMigratedStore(file: string, nowMs: number): Promise<void> {
  let store = stores.get(nowMs)
  if (!store) stores.set(nowMs, (store = migratedStore(nowMs)))
  writeFileSync(file, await store)
}
