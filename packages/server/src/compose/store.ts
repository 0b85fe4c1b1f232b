/**
 * Opens the store for the server or an offline command: the embedded store of a data directory, locked for this process, or
 * PostgreSQL, which any number of processes share.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import type { Config } from '../config.ts'
import { DatabaseWatch } from '../storage/database-watch.ts'
import { createDataDirectory } from '../storage/data-directory.ts'
import { takeLock } from '../storage/lock.ts'
import { migrate } from '../storage/migrate.ts'
import { openSqlite, type EmbeddedSql } from '../storage/sqlite.ts'
import type { Sql } from '../storage/sql.ts'
import { copyBeforeUpgrade, deleteOldCopies } from '../storage/upgrade.ts'
import { UsageJournal } from '../storage/usage-journal.ts'
import { sweepWorkFolders } from '../storage/work-folder.ts'

interface EmbeddedStore {
  readonly sql: Sql
  readonly beforeCheckpoint: EmbeddedSql['beforeCheckpoint']
  readonly journal: UsageJournal
  readonly shared: undefined
  readonly watch: undefined
  close(): Promise<void>
}

interface SharedStore {
  readonly sql: Sql
  readonly journal: undefined
  /** Separate connections to the same database for rounds, which must not wait behind transactions. */
  readonly shared: Sql
  /** What the connections find out about the database. */
  readonly watch: DatabaseWatch
  close(): Promise<void>
}

export type Store = EmbeddedStore | SharedStore

type Settings = Pick<Config, 'DATA_DIR' | 'DATABASE_URL' | 'DATABASE_CONNECTIONS' | 'MASTER_KEY' | 'KMS_URL'>

const roundConnections = 2

/** Opens the store. Throws an error with a message for the operator. */
export async function openStore(settings: Settings, clock: Clock, log: Log, lockTimeoutMs?: number): Promise<Store> {
  // With PostgreSQL and a master key from the settings, a node needs no disk.
  if (settings.DATABASE_URL === undefined || (settings.MASTER_KEY ?? settings.KMS_URL) === undefined) {
    createDataDirectory(settings.DATA_DIR)
  }
  return settings.DATABASE_URL === undefined
    ? openEmbedded(settings, { clock, log, lockTimeoutMs })
    : openShared(settings.DATABASE_URL, settings.DATABASE_CONNECTIONS, { clock, log })
}

interface Closable {
  close(): Promise<void> | void
}

interface StoreDeps {
  readonly clock: Clock
  readonly log: Log
}

async function openEmbedded(
  settings: Settings,
  { clock, log, lockTimeoutMs }: StoreDeps & { lockTimeoutMs: number | undefined },
): Promise<EmbeddedStore> {
  const { DATA_DIR: dataDir } = settings
  const lock = await takeLock(path.join(dataDir, 'lock.db'), lockTimeoutMs)
  if (!lock) throw new Error(`Another Rollkey uses the data directory ${dataDir}: stop it, or set ROLLKEY_DATA_DIR.`)
  const opened: Closable[] = [{ close: () => lock.release() }]
  await sweepWorkFolders(dataDir).catch((error: unknown) => {
    log.warn('files of a killed backup or restore cannot be deleted', { reason: reasonOf(error) })
  })
  try {
    const sql = openSqlite(path.join(dataDir, 'rollkey.db'))
    opened.unshift(sql)
    await copyBeforeUpgrade(dataDir, sql, log)
    await migrate(sql, clock.now(), log)
    await deleteOldCopies(dataDir).catch((error: unknown) => {
      log.warn('copies of earlier upgrades cannot be deleted', { reason: reasonOf(error) })
    })
    const journal = await UsageJournal.open(sql, path.join(dataDir, 'usage'), log)
    opened.unshift(journal)
    const beforeCheckpoint = (look: () => void): void => sql.beforeCheckpoint(look)
    return { sql, beforeCheckpoint, journal, shared: undefined, watch: undefined, close: () => closeAll(opened) }
  } catch (error) {
    await closeAll(opened)
    throw error
  }
}

async function openShared(url: string, connections: number, { clock, log }: StoreDeps): Promise<SharedStore> {
  const { connectForRounds, openPostgres } = await import('../storage/postgres.ts')
  const watch = new DatabaseWatch({ clock, log })
  const sql = await openPostgres(url, connections, watch)
  const shared = connectForRounds(url, roundConnections, watch)
  const close = (): Promise<void> => closeAll([shared, sql])
  try {
    await migrate(sql, clock.now(), log)
    return { sql, journal: undefined, shared, watch, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Closes each in turn, even if an earlier one failed. Throws the last error. */
async function closeAll([first, ...others]: readonly Closable[]): Promise<void> {
  try {
    await first?.close()
  } finally {
    if (others.length > 0) await closeAll(others)
  }
}

/** Returns whether a store exists that a command can open. */
export function hasStore({ DATA_DIR, DATABASE_URL }: Settings): boolean {
  return DATABASE_URL !== undefined || existsSync(path.join(DATA_DIR, 'rollkey.db'))
}
