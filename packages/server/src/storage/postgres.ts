/**
 * PostgreSQL behind the SQL port. Connections come and go with the database: a statement that cannot reach it fails with
 * StoreUnavailable, and the next one tries again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DatabaseError,
  Pool,
  TypeOverrides,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
} from 'pg'
import { Breaker, UpstreamUnavailable } from '../upstream/breaker.ts'
import { systemClock } from '../base/clock.ts'
import { StoreUnavailable } from '../base/api-error.ts'
import { OpenTx } from './open-tx.ts'
import { nameOf, PostgresBatch } from './postgres-batch.ts'
import { assertServiceSchema } from './search-path.ts'
import { first, migrationsTable, type Reader, type Send, type Sql, type Tx, type Value } from './sql.ts'

/** How long a request waits before it is answered 503, unless the address sets other limits. */
interface TimeLimits {
  readonly connectMs: number
  readonly lockMs: number
  readonly statementMs: number
  /** How long a statement waits on a connection that has gone silent. The database itself would have given up earlier. */
  readonly silenceMs: number
}

const idleInTransactionTimeoutMs = 10_000
/** How much longer than its longest statement a silent connection is waited for. */
const silenceMarginMs = 300

/** Returns the limits of an address, whose parameters have the names and units of PostgreSQL. */
function timeLimitsOf(url: string): TimeLimits {
  const { searchParams } = new URL(url)
  const limit = (name: string, unitMs: number, standardMs: number): number => {
    const ms = Number(searchParams.get(name)) * unitMs
    return ms > 0 ? ms : standardMs
  }
  const statementMs = limit('statement_timeout', 1, 1_500)
  return {
    connectMs: limit('connect_timeout', 1_000, 1_000),
    lockMs: limit('lock_timeout', 1, 1_000),
    statementMs,
    silenceMs: statementMs + silenceMarginMs,
  }
}

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

/** Type number of bigint. It is parsed as a number: the service's bigints are below 2^53 (docs/decisions/0002-one-sql-text.md). */
const int8 = 20
const types = new TypeOverrides()
types.setTypeParser(int8, Number)
/** Type number of integer[]. The driver's parser makes functions that stay until the next full collection of garbage. */
const int4Array = 1007
types.setTypeParser(int4Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))

/** Classes of SQLSTATE that concern the statement. All others concern the database or the connection. */
const statementErrors = /^(0A|21|22|23|2F|42|P0)/

/** SQLSTATEs of a lock that was not available in time, and of a deadlock. */
const lockConflicts = new Set(['55P03', '40P01'])

function isLockConflict(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return cause instanceof DatabaseError && lockConflicts.has(cause.code ?? '')
}

/** Converts an error to StoreUnavailable, unless it concerns the statement. */
export function unavailable(error: unknown): unknown {
  if (error instanceof DatabaseError && statementErrors.test(error.code ?? '')) return error
  return new StoreUnavailable('The database cannot be used at the moment.', { cause: error })
}

/** The driver's message for a connection that is silent. */
const readTimeout = 'Query read timeout'
const connectionErrors =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** Returns whether an error of any origin means that the database is unreachable or cannot work. */
export function isDatabaseFailure(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true
  if (error instanceof DatabaseError) return !statementErrors.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return connectionErrors.test(error.message) || (code !== undefined && /^E[A-Z]+$/.test(code))
}

/** Errors of the driver that are caused by a silent database rather than by a busy pool. */
const timeoutMessages = [readTimeout, 'Connection terminated due to connection timeout']

function isTimeout(error: unknown): boolean {
  return error instanceof Error && timeoutMessages.includes(error.message)
}

/** SQLSTATE of a database that is starting. */
const cannotConnectNow = '57P03'

/** Returns whether a database that failed like this may answer a moment later. */
function mayAnswerSoon({ cause }: Error): boolean {
  if (cause instanceof DatabaseError) return cause.code === cannotConnectNow
  return isTimeout(cause) || cause instanceof UpstreamUnavailable
}

function ignore(): void {}

/** Rejects when the work has taken longer than any on a connection that answers. The connection cannot be used any more then. */
async function beforeTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const silence = Promise.withResolvers<never>()
  const timer = setTimeout(() => silence.reject(new Error(readTimeout)), timeoutMs)
  try {
    return await Promise.race([work, silence.promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs a statement. The driver's own promise and timeout would keep each statement and its rows until the next full collection of garbage,
 * which makes all others slower (docs/decisions/0050).
 */
function runStatement(client: PoolClient, query: QueryConfig, timeoutMs: number): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>()
  client.query(query, (error: Error | null, result) => (error ? reject(error) : resolve(result)))
  return beforeTimeout(promise, timeoutMs)
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

class Postgres implements Sql {
  readonly #url: string
  readonly #connections: number
  readonly #limits: TimeLimits
  /** Number of pieces of work under way. */
  #running = 0
  #onIdle = ignore
  readonly #breaker: Breaker
  #pool: Pool

  constructor(url: string, connections: number) {
    this.#url = url
    this.#connections = connections
    this.#limits = timeLimitsOf(url)
    this.#breaker = new Breaker({
      clock: systemClock,
      memoryMs: breakerMemoryMs,
      slowMs: this.#limits.connectMs * 0.9,
      isAnswer: (error) => !isTimeout(error),
      onOpen: () => this.#dropConnections(),
    })
    this.#pool = openPool(url, connections)
  }

  /** Replaces the pool. Its idle connections may be silent too, and each would cost another timeout. */
  #dropConnections(): void {
    this.#pool.end().catch(ignore)
    this.#pool = openPool(this.#url, this.#connections)
  }

  all: Reader['all'] = async (text, ...params) => {
    try {
      const query = { name: nameOf(text), text, values: params }
      return (await this.#onClient((client) => runStatement(client, query, this.#limits.silenceMs))).rows as never[]
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

/** The SQL function `chain`, the same as in storage/chain.ts. */
const chainFunction = `create or replace function chain(before text, digest text) returns text
  language sql immutable strict parallel safe
  as $$ select encode(sha256(convert_to(before || digest, 'UTF8')), 'hex') $$`

/** Returns the database at `url`, which `openPostgres` has already checked. */
export function connectPostgres(url: string, connections: number): Sql {
  return new Postgres(url, connections)
}

/** Opens the database at `url` with up to `connections` connections. Throws an error with a message for the operator. */
export async function openPostgres(url: string, connections: number): Promise<Sql> {
  const sql = connectPostgres(url, connections)
  try {
    const version = await versionOf(sql)
    if (version < minVersion) {
      throw new Error(`The database is PostgreSQL ${version} (expected ${minVersion} or newer): upgrade it.`)
    }
    await assertServiceSchema(sql, url)
    await sql.alone((tx) => tx.script(`${migrationsTable}; ${chainFunction}`))
    return sql
  } catch (error) {
    await sql.close()
    throw error
  }
}

/** Returns the major version of the database, which may need a moment until it answers. */
async function versionOf(sql: Sql): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    try {
      const row = await first(sql.all<{ version: string }>(`select current_setting('server_version_num') as version`))
      return Math.floor(Number(row?.version) / 10_000)
    } catch (error) {
      if (!mayAnswerSoon(error as Error) || performance.now() - startedAt > startPatienceMs) cannotConnect(error)
    }
    await sleep(breakerMemoryMs)
  }
}

/** Throws an error with the text of PostgreSQL or of the system, which names hosts, users and databases but no password. */
function cannotConnect(error: unknown): never {
  const { cause = error } = error as Error
  const reason = cause instanceof AggregateError ? (cause.errors[0] as Error).message : (cause as Error).message
  throw new Error(`The database of ROLLKEY_DATABASE_URL cannot be reached: ${reason}.`, { cause })
}

/** Returns the address with an option that selects the schema, after its existing options. */
function inSchema(url: string, schema: string): string {
  const changed = new URL(url)
  const options = [changed.searchParams.get('options'), `-c search_path=${schema}`]
  changed.searchParams.set('options', options.filter((each) => each !== null).join(' '))
  return changed.href
}

/** Opens a pool that works in a schema, for statements without a timeout. */
export function openPoolIn(schema: string, url: string, connections: number): Pool {
  return openPool(inSchema(url, schema), connections, { query_timeout: timeLimitsOf(url).silenceMs })
}

function openPool(url: string, connections: number, settings: PoolConfig = {}): Pool {
  const { connectMs, lockMs, statementMs } = timeLimitsOf(url)
  const pool = new Pool({
    ...settings,
    connectionString: url,
    types,
    max: connections,
    application_name: 'rollkey',
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  })
  // The pool replaces a broken connection. The statement that was waiting for it fails and reports the error.
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  return pool
}
