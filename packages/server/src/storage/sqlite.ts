/**
 * The embedded engine: node:sqlite with one read-only connection and one writer, whose users take turns. It needs two
 * connections because on a shared one a plain read would run inside another caller's open transaction.
 */
import { once } from 'node:events'
import { closeSync, fdatasync, openSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { chainDigest } from './chain.ts'
import { StoreUnavailable } from '../base/api-error.ts'
import { threadUrl } from '../base/shipped-files.ts'
import { startThread } from '../base/threads.ts'
import { Mutex } from '../concurrency/mutex.ts'
import { OpenTx } from './open-tx.ts'
import { SlicedTx } from './sliced-tx.ts'
import {
  migrationsTable,
  sendIn,
  type Durability,
  type Reader,
  type Send,
  type Sql,
  type Tx,
  type Value,
} from './sql.ts'

/** Oldest version that cannot corrupt a WAL that is reset while it is read (fixed in March 2026). */
const minSafeVersion = [3, 51, 3]
const syncIntervalMs = 1_000
/** Pages of 4 KiB that are added to the WAL before a checkpoint, which copies them and syncs twice. */
const checkpointPages = 8_000
/**
 * How long SQLite waits for a lock. The process owns the file, so only a tool of the operator can hold one. SQLite blocks
 * the event loop while it waits.
 */
const busyTimeoutMs = 1_000

class Connection implements Tx {
  readonly db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string, readOnly: boolean) {
    this.db = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs })
    this.db.function('chain', { deterministic: true, directOnly: true }, (before, digest) =>
      chainDigest(before as string, digest as string),
    )
  }

  /** Returns the statement, prepared once per text. All texts are in this source, so their number is small. */
  prepared(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (!statement) {
      statement = this.db.prepare(numbered(text))
      this.#statements.set(text, statement)
    }
    return statement
  }

  async all<Row>(text: string, ...params: Value[]): Promise<Row[]> {
    try {
      return this.prepared(text).all(...params) as Row[]
    } catch (error) {
      throw unavailable(error)
    }
  }

  async script(text: string): Promise<void> {
    this.db.exec(text)
  }
}

/** Converts parameters to numbered ones: for SQLite, $1 is a name, which it would look up for each value of each statement. */
function numbered(text: string): string {
  return text.replaceAll(/\$(?=\d)/g, '?')
}

/** SQLite's result codes that concern the machine and not the statement: <https://sqlite.org/rescode.html>. */
const machineErrors = new Set([5, 6, 8, 10, 11, 13, 14, 15, 26])

/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC. */
const syncErrors = new Set<unknown>([1034, 1290])

function isSyncError(error: unknown): boolean {
  return syncErrors.has((error as { errcode?: number }).errcode)
}

const checkpointThread = threadUrl(new URL('./checkpoint-thread.ts', import.meta.url))

/** Thrown when the disk did not store data that the kernel had accepted (docs/decisions/0022-failed-syncs.md). */
class SyncFailed extends StoreUnavailable {
  override readonly name = 'SyncFailed'
}

function unavailable(error: unknown): unknown {
  const { errcode } = error as { errcode?: number }
  const isMachineError = errcode !== undefined && machineErrors.has(errcode & 0xff)
  return isMachineError ? new StoreUnavailable('The database cannot be used at the moment.', { cause: error }) : error
}

/** The SQL port of a file, whose log a thread moves to the file. */
export interface EmbeddedSql extends Sql {
  /** Calls `look` before each time the log moves to the file, from when it may start again. No transaction is open then. */
  beforeCheckpoint(look: () => void): void
}

class Sqlite implements EmbeddedSql {
  readonly #path: string
  readonly #reader: Connection
  readonly #writer: Connection
  readonly #writing = new Mutex()
  readonly #wal: number
  readonly #timer: NodeJS.Timeout
  /** Syncs of the WAL that are under way. */
  #syncing = Promise.resolve()
  #durability: Durability = 'power'
  #hasUnsynced = false
  #syncFailure: SyncFailed | undefined
  /** Pages that the WAL had at the last attempt to move it since it started again. */
  #moved = 0
  #checkpoint: Promise<void> | undefined
  #isClosing = false
  #beforeCheckpoint = (): void => {}

  constructor(path: string) {
    this.#path = path
    this.#writer = new Connection(path, false)
    // fullfsync: on macOS, a sync otherwise leaves data in the cache of the disk. Other systems ignore it.
    this.#writer.db.exec(
      `pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = on; pragma foreign_keys = on;
       pragma trusted_schema = off; pragma wal_autocheckpoint = 0`,
    )
    // After a failed sync the kernel may have data that the disk does not. This writes and syncs it again.
    this.#writer.db.exec('pragma wal_checkpoint(truncate)')
    this.#writer.db.exec(migrationsTable)
    this.#reader = new Connection(path, true)
    // The WAL file exists while a connection is open. Syncing it every second through a separate descriptor, off the
    // event loop, limits what transactions of durability `process` can lose to the last second.
    this.#wal = openSync(`${path}-wal`, 'r')
    this.#timer = setInterval(() => {
      if (!this.#hasUnsynced) return
      this.#hasUnsynced = false
      this.#syncing = this.#syncing.then(() => this.#sync())
    }, syncIntervalMs).unref()
  }

  all: Reader['all'] = (text, ...params) => this.#reader.all(text, ...params)

  tx<T>(work: (tx: Tx) => Promise<T>, durability: Durability = 'power'): Promise<T> {
    return this.#writing.run(async () => {
      // After an I/O error SQLite may have rolled back on its own.
      const tx = new OpenTx(this.#writer, () => this.#writer.db.isTransaction)
      try {
        if (this.#syncFailure) throw this.#syncFailure
        this.#rollBack()
        if (durability !== this.#durability) {
          this.#writer.prepared(`pragma synchronous = ${durability === 'power' ? 'full' : 'normal'}`).run()
          this.#durability = durability
        }
        this.#writer.prepared('begin immediate').run()
        const result = await work(new SlicedTx(tx)).finally(() => tx.end())
        this.#writer.prepared('commit').run()
        this.#hasUnsynced ||= durability === 'process'
        this.#checkpointIfLong()
        return result
      } catch (error) {
        if (isSyncError(error)) this.#failForGood(error)
        this.#rollBack()
        throw unavailable(error)
      }
    })
  }

  beforeCheckpoint(look: () => void): void {
    this.#beforeCheckpoint = look
  }

  /** Must be called after a commit. Throws nothing, because a failure here would look like one of the commit. */
  #checkpointIfLong(): void {
    let pages: number
    try {
      pages = this.#walPages
    } catch {
      return
    }
    if (pages < this.#moved) this.#moved = 0
    if (this.#checkpoint || this.#isClosing || pages - this.#moved < checkpointPages) return
    this.#moved = pages
    this.#checkpoint = this.#moveInThread()
      .catch((error: unknown) => {
        // After other failures, the next checkpoint moves more.
        if (isSyncError(error)) this.#failForGood(error)
      })
      .finally(() => (this.#checkpoint = undefined))
  }

  get #walPages(): number {
    // Moves nothing.
    return (this.#writer.prepared('pragma wal_checkpoint(noop)').get() as { log: number }).log
  }

  /**
   * Moves the WAL to the file. Reads go on, and writes wait: the WAL starts again only if all of it has been moved. What cannot be
   * moved now, as while someone reads what it replaces, stays in the WAL.
   */
  async #moveInThread(): Promise<void> {
    const thread = startThread(checkpointThread, 'checkpoint', this.#path)
    const ended = new Promise<unknown>((resolve, reject) => thread.once('error', reject).once('exit', resolve))
    try {
      await Promise.race([once(thread, 'message'), ended])
      await this.#writing.run(async () => {
        this.#moved = this.#walPages
        this.#beforeCheckpoint()
        thread.postMessage('move')
        await ended
      })
    } finally {
      await thread.terminate()
    }
  }

  async #sync(): Promise<void> {
    await promisify(fdatasync)(this.#wal).catch((error: unknown) => this.#failForGood(error))
  }

  /** Fails all further transactions, and ends the process once the current requests are answered. */
  #failForGood(cause: unknown): void {
    this.#syncFailure ??= new SyncFailed('The database cannot be synced to the disk.', { cause })
    setImmediate(() => {
      throw this.#syncFailure
    })
  }

  /** Rolls back the open transaction, if any. A rollback that fails is repeated before the next transaction. */
  #rollBack(): void {
    try {
      if (this.#writer.db.isTransaction) this.#writer.prepared('rollback').run()
    } catch (error) {
      throw unavailable(error)
    }
  }

  atOnce(send: Send, durability?: Durability): Promise<void> {
    return this.tx((tx) => sendIn(tx, send), durability)
  }

  alone<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.tx(work)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await this.#checkpoint
    await this.#writing.run(async () => {
      clearInterval(this.#timer)
      await this.#syncing
      closeSync(this.#wal)
      this.#reader.db.close()
      this.#writer.db.close()
    })
  }
}

function refuse(): never {
  throw new Error('this connection is read-only')
}

/** Opens a database file for reading. Another process may be writing it. */
export function readSqlite(path: string): Sql {
  const reader = new Connection(path, true)
  return {
    all: (text, ...params) => reader.all(text, ...params),
    tx: refuse,
    atOnce: refuse,
    alone: refuse,
    close: async () => reader.db.close(),
  }
}

function assertSafeVersion(): void {
  const db = new DatabaseSync(':memory:')
  const { version } = db.prepare('select sqlite_version() as version').get() as { version: string }
  db.close()
  const present = version.split('.').map(Number)
  const differing = minSafeVersion.findIndex((part, index) => part !== present[index])
  if (differing >= 0 && (present[differing] ?? 0) < (minSafeVersion[differing] ?? 0)) {
    throw new Error(
      `This Node contains SQLite ${version}, which can lose data (expected ${minSafeVersion.join('.')} or newer): use Node 24.15 or newer.`,
    )
  }
}

/** Opens or creates the database file. The caller holds the lock of the data directory. */
export function openSqlite(path: string): EmbeddedSql {
  assertSafeVersion()
  return new Sqlite(path)
}
