/**
 * PostgreSQL behind the SQL port. Connections come and go with the database: a statement that cannot reach it fails with
 * StoreUnavailable, and the next one tries again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type PoolClient } from 'pg'
import { Breaker, UpstreamUnavailable } from '../upstream/breaker.ts'
import { systemClock } from '../base/clock.ts'
import type { DatabaseWatch } from './database-watch.ts'
import { OpenTx } from './open-tx.ts'
import { nameOf, PostgresBatch } from './postgres-batch.ts'
import { sentenceOf } from './database-problems.ts'
import { isLockConflict, isTimeout, ReadOnlyDatabase, unavailable } from './postgres-errors.ts'
import { beforeTimeout, ignore, PostgresPool, runStatement, timeLimitsOf, type TimeLimits } from './postgres-pool.ts'
import { assertServiceSchema } from './search-path.ts'
import { first, migrationsTable, type Reader, type Send, type Sql, type Tx, type Value } from './sql.ts'

/** How long requests are answered 503 immediately after the database was silent, before one of them tries again. */
const breakerMemoryMs = 500
/** How long a start waits for a database that is busy or starts too. */
const startPatienceMs = 10_000
/** How long a statement of a migration may take: it may rewrite a table. */
const migrationTimeoutMs = 60 * 60_000
/**
 * How long a migration waits for a lock before it lets the nodes that serve go first, and tries again. Requests wait behind
 * it, and fail after a second. It is also shorter than the second after which PostgreSQL would end a deadlock.
 */
const migrationLockTimeoutMs = 200
/** How long a migration goes on trying, and the pause between two attempts. */
const migrationPatienceMs = 60_000
const migrationPauseMs = 250
/** Number of the schema's advisory lock. It is arbitrary, but the same in every Rollkey. */
const schemaLock = 7_655_395

/** SQLSTATE of a database that is starting. */
const cannotConnectNow = '57P03'

/** Returns whether a database that failed like this may answer a moment later. */
function mayAnswerSoon({ cause }: Error): boolean {
  if (cause instanceof DatabaseError) return cause.code === cannotConnectNow
  return isTimeout(cause) || cause instanceof UpstreamUnavailable
}

class PostgresTx implements Tx {
  readonly #client: PoolClient
  /** Timeout of a statement in milliseconds. */
  readonly #timeoutMs: number

  constructor(client: PoolClient, timeoutMs: number) {
    this.#client = client
    this.#timeoutMs = timeoutMs
  }

  async all<Row>(text: string, ...params: Value[]): Promise<Row[]> {
    const { rows } = await runStatement(this.#client, { name: nameOf(text), text, values: params }, this.#timeoutMs)
    return rows as Row[]
  }

  async script(text: string): Promise<void> {
    await runStatement(this.#client, { text }, this.#timeoutMs)
  }
}

/** Returns a function that throws if the database was replaced since. */
type AssertSame = () => () => void

class Postgres implements Sql {
  readonly #limits: TimeLimits
  /** Number of pieces of work under way. */
  #running = 0
  #onIdle = ignore
  readonly #breaker: Breaker
  readonly #pool: PostgresPool
  readonly #assertSame: AssertSame

  constructor(url: string, connections: number, watch?: DatabaseWatch, assertSame: AssertSame = () => ignore) {
    this.#assertSame = assertSame
    this.#limits = timeLimitsOf(url)
    this.#pool = new PostgresPool(url, connections, watch)
    this.#breaker = new Breaker({
      clock: systemClock,
      memoryMs: breakerMemoryMs,
      slowMs: this.#limits.connectMs * 0.9,
      isAnswer: (error) => !isTimeout(error) && !(error instanceof ReadOnlyDatabase),
      isOutage: (error) => error instanceof ReadOnlyDatabase,
      // The idle connections may be silent too, and each would cost another timeout.
      onOpen: () => this.#pool.retire(),
    })
  }

  all: Reader['all'] = async (text, ...params) => {
    const assertSame = this.#assertSame()
    try {
      const query = { name: nameOf(text), text, values: params }
      const { rows } = await this.#onClient((client) => {
        assertSame()
        return runStatement(client, query, this.#limits.silenceMs)
      })
      return rows as never[]
    } catch (error) {
      throw unavailable(error)
    }
  }

  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#untilDone(this.#run('begin', (client) => new PostgresTx(client, this.#limits.silenceMs), work))
  }

  async alone<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    for (;;) {
      try {
        return await this.#aloneOnce(work)
      } catch (error) {
        if (!isLockConflict(error)) throw error
        if (performance.now() - startedAt > migrationPatienceMs) {
          throw new Error(
            'The tables could not be locked within a minute, because other transactions use them: end long transactions on the database (pg_stat_activity), and start again to continue.',
            { cause: error },
          )
        }
      }
      await sleep(migrationPauseMs)
    }
  }

  #aloneOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const unlimited = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']
    const begin = ['begin', ...unlimited.map((name) => `set local ${name} = 0`)].join('; ')
    return this.#untilDone(
      this.#run(
        begin,
        (client) => new PostgresTx(client, migrationTimeoutMs),
        async (tx) => {
          await tx.script(
            `select pg_advisory_xact_lock(${schemaLock}); set local lock_timeout = ${migrationLockTimeoutMs}`,
          )
          return work(tx)
        },
      ),
    )
  }

  async atOnce(send: Send): Promise<void> {
    const batch = new PostgresBatch(send)
    await this.#untilDone(this.#runBatch(batch).catch((error: unknown) => batch.fail(unavailable(error))))
    await batch.done()
  }

  #runBatch(batch: PostgresBatch): Promise<void> {
    return this.#onClient((client) => beforeTimeout(batch.run(client), this.#limits.silenceMs))
  }

  #onClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#breaker.run(async () => {
      const client = await this.#pool.connect()
      let isUsable = true
      try {
        return await work(client)
      } catch (error) {
        // A connection that did not answer. The pool judges the answers.
        isUsable = error instanceof DatabaseError
        throw error
      } finally {
        client.release(!isUsable)
      }
    })
  }

  /** Lets the work end before the pool closes. */
  async #untilDone<T>(work: Promise<T>): Promise<T> {
    this.#running++
    try {
      return await work
    } finally {
      this.#running--
      if (this.#running === 0) this.#onIdle()
    }
  }

  async #run<T>(begin: string, createTx: (client: PoolClient) => Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.#breaker
      .run(() => this.#begin(begin))
      .catch((error: unknown) => {
        throw unavailable(error)
      })
    const tx = new OpenTx(createTx(client))
    let isBroken = false
    try {
      const result = await work(tx).finally(() => tx.end())
      const { command } = await runStatement(client, { text: 'commit' }, this.#limits.silenceMs)
      // PostgreSQL answers the commit of a failed transaction with a rollback and no error.
      if (command !== 'COMMIT') throw new Error('the transaction failed before its commit')
      return result
    } catch (error) {
      isBroken = await runStatement(client, { text: 'rollback' }, this.#limits.silenceMs).then(
        () => false,
        () => true,
      )
      throw isBroken || error instanceof DatabaseError || isTimeout(error) ? unavailable(error) : error
    } finally {
      client.release(isBroken)
    }
  }

  async #begin(begin: string): Promise<PoolClient> {
    const client = await this.#pool.connect()
    try {
      await runStatement(client, { text: begin }, this.#limits.silenceMs)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async close(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    await this.#pool.end()
  }
}

const minVersion = 14
/** The only encoding with all characters that names and descriptions may have. */
const utf8 = 'UTF8'

/** The SQL function `chain`, the same as in storage/chain.ts. */
const chainFunction = `create or replace function chain(before text, digest text) returns text
  language sql immutable strict parallel safe
  as $$ select encode(sha256(convert_to(before || digest, 'UTF8')), 'hex') $$`

/** Returns the database at `url`, which `openPostgres` has already checked. */
export function connectPostgres(url: string, connections: number, watch?: DatabaseWatch): Sql {
  return new Postgres(url, connections, watch)
}

/**
 * Returns the database at `url` for statements that validate what was read before. They fail with StoreUnavailable if the database was
 * replaced while they waited for a connection.
 */
export function connectForRounds(url: string, connections: number, watch: DatabaseWatch): Sql {
  return new Postgres(url, connections, watch, () => {
    const { replacements } = watch
    return () => {
      if (watch.replacements !== replacements) throw new Error('The database was replaced.')
    }
  })
}

/** Opens the database at `url` with up to `connections` connections. Throws an error with a message for the operator. */
export async function openPostgres(url: string, connections: number, watch?: DatabaseWatch): Promise<Sql> {
  const sql = connectPostgres(url, connections, watch)
  try {
    const { version, encoding } = await serverOf(sql)
    if (version < minVersion) {
      throw new Error(`The database is PostgreSQL ${version} (expected ${minVersion} or newer): upgrade it.`)
    }
    if (encoding !== utf8) {
      throw new Error(
        `The database has the encoding ${encoding} (expected ${utf8}): create another one with "create database … encoding 'UTF8' template template0".`,
      )
    }
    await assertServiceSchema(sql, url)
    await sql.alone((tx) => tx.script(`${migrationsTable}; ${chainFunction}`))
    return sql
  } catch (error) {
    await sql.close()
    throw error
  }
}

interface Server {
  /** Major version. */
  readonly version: number
  readonly encoding: string
}

/** Returns what the database is, which may need a moment until it answers. */
async function serverOf(sql: Sql): Promise<Server> {
  const startedAt = performance.now()
  for (;;) {
    try {
      const row = await first(
        sql.all<{ version: string; encoding: string }>(
          "select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding",
        ),
      )
      return { version: Math.floor(Number(row?.version) / 10_000), encoding: row?.encoding ?? '' }
    } catch (error) {
      if (!mayAnswerSoon(error as Error) || performance.now() - startedAt > startPatienceMs) cannotConnect(error)
    }
    await sleep(breakerMemoryMs)
  }
}

/** Throws an error with a known sentence, or with the text of PostgreSQL or of the system, which names hosts, users and databases but no password. */
function cannotConnect(error: unknown): never {
  const { cause = error } = error as Error
  const reason = cause instanceof AggregateError ? (cause.errors[0] as Error).message : (cause as Error).message
  throw new Error(sentenceOf(error) ?? `The database of ROLLKEY_DATABASE_URL cannot be reached: ${reason}.`, { cause })
}
