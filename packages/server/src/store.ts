/**
 * Where everything is kept: the embedded store of a data directory, locked for this process, or PostgreSQL, which any
 * number of processes share. What both the server and an offline command open.
 */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config.ts'
import { takeLock } from './storage/lock.ts'
import { migrate } from './storage/migrate.ts'
import { openSqlite } from './storage/sqlite.ts'
import type { Sql } from './storage/sql.ts'

export interface Store {
  readonly sql: Sql
  /** The same database for rounds alone, which must not wait behind transactions; undefined if no other process writes. */
  readonly shared: Sql | undefined
  close(): Promise<void>
}

type Settings = Pick<Config, 'DATA_DIR' | 'DATABASE_URL' | 'DATABASE_CONNECTIONS' | 'MASTER_KEY'>

const roundConnections = 2

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
export async function openStore(settings: Settings, clock: Clock, log: Log, patienceMs?: number): Promise<Store> {
  // With PostgreSQL and a key that is given, a node needs no disk.
  if (settings.DATABASE_URL === undefined || settings.MASTER_KEY === undefined) makeFolder(settings.DATA_DIR)
  const store =
    settings.DATABASE_URL === undefined
      ? await openEmbedded(settings.DATA_DIR, patienceMs)
      : await openShared(settings.DATABASE_URL, settings.DATABASE_CONNECTIONS)
  try {
    await migrate(store.sql, clock.now(), log)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openEmbedded(dataDir: string, patienceMs: number | undefined): Promise<Store> {
  const lock = await takeLock(path.join(dataDir, 'lock.db'), patienceMs)
  if (!lock) throw new Error(`Another Rollkey uses the data directory ${dataDir}: stop it, or set ROLLKEY_DATA_DIR.`)
  try {
    const sql = openSqlite(path.join(dataDir, 'rollkey.db'))
    return {
      sql,
      shared: undefined,
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

async function openShared(url: string, connections: number): Promise<Store> {
  const { connectPostgres, openPostgres } = await import('./storage/postgres.ts')
  const sql = await openPostgres(url, connections)
  const shared = connectPostgres(url, roundConnections)
  return {
    sql,
    shared,
    async close() {
      await shared.close()
      await sql.close()
    },
  }
}

/** Whether there is a store to be opened by a command. */
export function hasStore({ DATA_DIR, DATABASE_URL }: Settings): boolean {
  return DATABASE_URL !== undefined || existsSync(path.join(DATA_DIR, 'rollkey.db'))
}
