/** The store of a data directory, locked for this process: what both the server and an offline command open. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import { takeLock } from './storage/lock.ts'
import { migrate } from './storage/migrate.ts'
import { openSqlite } from './storage/sqlite.ts'
import type { Sql } from './storage/sql.ts'

export interface Store {
  readonly sql: Sql
  readonly dataDir: string
  close(): Promise<void>
}

function makeFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.R_OK | constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(
      `The data directory ${dataDir} cannot be used (${code}): make it a folder that this user may write.`,
      {
        cause: error,
      },
    )
  }
}

/** Throws a sentence for the operator. */
export async function openStore(dataDir: string, clock: Clock, log: Log, patienceMs?: number): Promise<Store> {
  makeFolder(dataDir)
  const lock = await takeLock(path.join(dataDir, 'lock.db'), patienceMs)
  if (!lock) throw new Error(`Another Rollkey uses the data directory ${dataDir}: stop it, or set ROLLKEY_DATA_DIR.`)
  try {
    const sql = openSqlite(path.join(dataDir, 'rollkey.db'))
    try {
      await migrate(sql, clock.now(), log)
    } catch (error) {
      await sql.close()
      throw error
    }
    return {
      sql,
      dataDir,
      async close() {
        await sql.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Whether a data directory holds a store. */
export function hasStore(dataDir: string): boolean {
  return existsSync(path.join(dataDir, 'rollkey.db'))
}
