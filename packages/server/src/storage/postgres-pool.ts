/**
 * The connections of a node to PostgreSQL. This is the only place that judges them: a new one must lead to a server that accepts writes, and
 * once any of them reports that the server cannot serve any more, none of those made before is used again.
 */
import { callbackify } from 'node:util'
import { Pool, TypeOverrides, type PoolClient, type PoolConfig, type QueryConfig, type QueryResult } from 'pg'
import type { DatabaseWatch } from './database-watch.ts'
import { readTimeout } from './database-problems.ts'
import { endsConnections, isBusyPool, ReadOnlyDatabase } from './postgres-errors.ts'

/** How long a request waits before it is answered 503, unless the address sets other limits. */
export interface TimeLimits {
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
export function timeLimitsOf(url: string): TimeLimits {
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

/** Type number of bigint. It is parsed as a number: the service's bigints are below 2^53 (docs/decisions/0002-one-sql-text.md). */
const int8 = 20
const types = new TypeOverrides()
types.setTypeParser(int8, Number)
/** Type number of integer[]. The driver's parser makes functions that stay until the next full collection of garbage. */
const int4Array = 1007
types.setTypeParser(int4Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))

/** Rejects when the work has taken longer than any on a connection that answers. The connection cannot be used any more then. */
export async function beforeTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
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
export function runStatement(client: PoolClient, query: QueryConfig, timeoutMs: number): Promise<QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<QueryResult>()
  client.query(query, (error: Error | null, result) => (error ? reject(error) : resolve(result)))
  return beforeTimeout(promise, timeoutMs)
}

export function ignore(): void {}

/**
 * What a new connection asks, in one round trip. A former primary that is a standby now would answer with what others have replaced. When
 * the server was started tells it from each other server, and from itself before a restore of its files; the number of the database tells
 * it from one that was created in its place. Every role may call these functions.
 */
const connectionCheck = `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only,
  cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now_ms,
  concat_ws(' ', extract(epoch from pg_postmaster_start_time()), (select datid from pg_stat_get_activity(pg_backend_pid()))) as server`

/**
 * How long a connection is used. The address may lead to another server without an end of the connections to the former one, and this bounds
 * for how long a node misses that.
 */
const maxLifetimeSeconds = 60

interface ConnectionState {
  readonly is_standby: boolean
  readonly is_read_only: boolean
  readonly now_ms: number
  readonly server: string
}

type ConnectCallback = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void

/**
 * Returns the address with the mode of TLS that the driver uses. It takes each mode with TLS for verify-full, and warns of that in several
 * lines where another one is named, as managed databases do.
 */
function withModeInUse(url: string): string {
  const changed = new URL(url)
  const { searchParams } = changed
  const isOther = ['prefer', 'require', 'verify-ca'].includes(searchParams.get('sslmode') ?? '')
  if (!isOther || searchParams.has('uselibpqcompat')) return url
  searchParams.set('sslmode', 'verify-full')
  return changed.href
}

export class PostgresPool extends Pool {
  readonly #watch: DatabaseWatch | undefined
  readonly #connectMs: number
  /** Connections that may be used. The pool ends the others when it would hand them out, or after they were idle. */
  #usable = new WeakSet<PoolClient>()

  constructor(url: string, connections: number, watch?: DatabaseWatch, settings: PoolConfig = {}) {
    const { connectMs, lockMs, statementMs } = timeLimitsOf(url)
    super({
      ...settings,
      connectionString: withModeInUse(url),
      types,
      max: connections,
      application_name: 'rollkey',
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      maxLifetimeSeconds,
      lock_timeout: lockMs,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      verify: (client, done) => callbackify(() => this.#verify(client))((error) => done(error ?? undefined)),
    })
    this.#watch = watch
    this.#connectMs = connectMs
    watch?.onReplaced(() => this.retire())
    // The pool replaces a broken connection. The statement that was waiting for it fails and reports the error.
    this.on('error', ignore)
    this.on('connect', (client) => {
      client.on('error', ignore)
      client.connection.on('errorMessage', (error: { code?: string }) => {
        if (endsConnections(error)) this.retire()
      })
    })
  }

  /** Keeps the present connections from being used again. */
  retire(): void {
    this.#usable = new WeakSet()
  }

  override connect(): Promise<PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    if (!callback) return this.#connect()
    callbackify(() => this.#connect())((error, client) =>
      callback(error ?? undefined, client, (release) => client.release(release)),
    )
  }

  async #connect(): Promise<PoolClient> {
    for (;;) {
      const client = await super.connect().catch((error: unknown) => {
        if (!isBusyPool(error)) this.#watch?.refused(error)
        throw error
      })
      if (this.#usable.has(client)) return client
      client.release(true)
    }
  }

  /** Throws ReadOnlyDatabase if a new connection leads to a server that accepts only reads. */
  async #verify(client: PoolClient): Promise<void> {
    const asked = this.#watch?.ask()
    const { rows } = await runStatement(client, { text: connectionCheck }, this.#connectMs)
    const state = rows[0] as ConnectionState
    if (state.is_read_only) throw new ReadOnlyDatabase(state.is_standby)
    if (asked && !this.#watch?.connected(asked, state)) return
    this.#usable.add(client)
  }
}

/** Returns the address with an option that selects the schema, after its existing options. */
function inSchema(url: string, schema: string): string {
  const changed = new URL(url)
  const options = [changed.searchParams.get('options'), `-c search_path=${schema}`]
  changed.searchParams.set('options', options.filter((each) => each !== null).join(' '))
  return changed.href
}

/** Opens a pool that works in a schema, for statements without a timeout. */
export function openPoolIn(schema: string, url: string, connections: number, watch?: DatabaseWatch): PostgresPool {
  return new PostgresPool(inSchema(url, schema), connections, watch, { query_timeout: timeLimitsOf(url).silenceMs })
}
