/**
 * A transaction that takes PostgreSQL one round trip. Its statements are sent with one `Sync` behind them: PostgreSQL commits them when it
 * reads that, and after an error it skips to there and rolls all of them back
 * (<https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING>). If the `Sync` does not arrive, nothing is
 * committed either.
 *
 * The first statement may lose a race, which is nothing unusual and leaves no error in PostgreSQL's log: it sets a variable of the transaction, and
 * the others, if all of them have the guard, do nothing. Otherwise, a statement that does not return its row divides by zero, because what was
 * done before has to be undone.
 */
import { Query, type Connection, type PoolClient, type QueryResult } from 'pg'
import { StoreUnavailable } from '../base/api-error.ts'
import type { AtOnceTx, Send, Tx, Value } from './sql.ts'

interface SentStatement {
  readonly text: string
  readonly values: readonly Value[]
}

interface Statement extends SentStatement {
  /** Set if it has to return a row. */
  readonly otherwise: (() => Error) | undefined
  readonly resolve: (rows: never[]) => void
  readonly reject: (error: unknown) => void
}

/** SQLSTATE of a division by zero. */
const divisionByZero = '22012'

/** Names under which statements are prepared, once per connection. */
const names = new Map<string, string>()

export function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `rollkey_${names.size}`
    names.set(text, name)
  }
  return name
}

/** A variable of the transaction that is `yes` once the first statement has not returned its row. */
const lost = 'rollkey.lost'
const guard = `current_setting('${lost}', true) is distinct from 'yes'`

/** Returns a statement that does the same, and that divides by zero if that returns no row, unless the first has returned none. */
const requiredText = memoized(
  (text) => `with required as (${text}) select 1 / (count(*) + case when ${guard} then 0 else 1 end) from required`,
)

/** Returns a statement that does the same, and that returns a row if that returns none. */
const firstText = memoized(
  (text) =>
    `with required as (${text}) select set_config('${lost}', 'yes', true) where not exists (select from required)`,
)

const isGuarded = memoized((text) => text.includes(guard))

function memoized<Result>(make: (text: string) => Result): (text: string) => Result {
  const made = new Map<string, Result>()
  return (text) => {
    let result = made.get(text)
    if (result === undefined) made.set(text, (result = make(text)))
    return result
  }
}

export class PostgresBatch implements AtOnceTx {
  readonly guard = guard
  readonly #statements: Statement[] = []
  readonly #sent: readonly Promise<unknown>[]
  #hasEnded = false

  /** Collects the statements that `send` sends. Throws what it throws. */
  constructor(send: Send) {
    try {
      this.#sent = send(this)
    } finally {
      this.#hasEnded = true
    }
  }

  /** Resolves when all statements have succeeded and are committed. Throws the reason why they are not. */
  async done(): Promise<void> {
    await Promise.all(this.#sent)
  }

  all<Row>(text: string, ...params: Value[]): Promise<Row[]> {
    return this.#add(text, params)
  }

  script(): Promise<void> {
    return Promise.reject(new Error('a script is not sent together with other statements'))
  }

  requiring(otherwise: () => Error): Tx {
    return { guard, all: (text, ...params) => this.#add(text, params, otherwise), script: () => this.script() }
  }

  #add<Row>(text: string, values: readonly Value[], otherwise?: () => Error): Promise<Row[]> {
    if (this.#hasEnded) return Promise.reject(new StoreUnavailable('The transaction has ended.'))
    return new Promise((resolve, reject) => {
      this.#statements.push({ text, values, otherwise, resolve, reject })
    })
  }

  /** Runs all statements. Throws what the driver throws. */
  async run(client: PoolClient): Promise<void> {
    const [first, ...others] = this.#statements
    const mayLose =
      first?.otherwise !== undefined && others.every(({ text, otherwise }) => otherwise ?? isGuarded(text))
    const sent = this.#statements.map(({ text, values, otherwise }, index) => {
      if (!otherwise) return { text, values }
      return { text: index === 0 && mayLose ? firstText(text) : requiredText(text), values }
    })
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<never>[]>()
    const query = new BatchQuery(sent, (error, found) => (error ? reject(error) : resolve([found ?? []].flat())))
    void client.query(query)
    try {
      const results = await promise
      if (mayLose && results[0]?.rows.length === 1) return this.fail(first.otherwise())
      for (const [index, statement] of this.#statements.entries()) statement.resolve(results[index]?.rows ?? [])
    } catch (error) {
      const { otherwise } = this.#statements[query.completed] ?? {}
      if (!otherwise || (error as { code?: string }).code !== divisionByZero) throw error
      this.fail(otherwise())
    }
  }

  /** Fails all statements with the reason. */
  fail(reason: unknown): void {
    for (const { reject } of this.#statements) reject(reason)
  }
}

type Callback = (error: Error | undefined, results?: QueryResult<never> | QueryResult<never>[]) => void

/** The query of the driver, which collects the results of several statements. Its types have only a part of it. */
interface DriverQuery {
  name: string
  text: string
  submit(connection: DriverConnection): void
  handleCommandComplete(message: unknown, connection: DriverConnection): void
}

type DriverConnection = Connection & {
  readonly parsedStatements: Readonly<Record<string, string>>
}

const DriverQuery = Query as unknown as new (config: { text: string }, callback: Callback) => DriverQuery

class BatchQuery extends DriverQuery {
  readonly #statements: readonly SentStatement[]
  /** Number of statements that have succeeded so far. */
  completed = 0

  constructor(statements: readonly SentStatement[], callback: Callback) {
    super({ text: '' }, callback)
    this.#statements = statements
    this.#follow()
  }

  /** Takes the name and text of the next statement, which the driver remembers once it is prepared. */
  #follow(): void {
    const next = this.#statements[this.completed]
    if (!next) return
    this.text = next.text
    this.name = nameOf(next.text)
  }

  override submit(connection: DriverConnection): void {
    const parsed = new Set<string>()
    connection.stream.cork()
    for (const { text, values } of this.#statements) {
      const name = nameOf(text)
      if (!(name in connection.parsedStatements || parsed.has(name))) connection.parse({ name, text, types: [] }, true)
      parsed.add(name)
      connection.bind({ statement: name, values: values.map(wireValue) }, true)
      connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  override handleCommandComplete(message: unknown, connection: DriverConnection): void {
    super.handleCommandComplete(message, connection)
    this.completed++
    this.#follow()
  }
}

/** Returns a value as the driver sends it. */
function wireValue(value: Value): string | Buffer | null {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return typeof value === 'number' ? String(value) : value
}
