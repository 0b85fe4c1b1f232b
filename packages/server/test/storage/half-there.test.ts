/** Databases that answer and cannot serve: what an operator reads, and that a node is whole once they are. */
import { Client, type Pool, type PoolClient } from 'pg'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailable } from '../../src/base/api-error.ts'
import { createLog } from '../../src/base/log.ts'
import { clockDifferenceMs, DatabaseWatch } from '../../src/storage/database-watch.ts'
import { openIdentitySchema } from '../../src/identity/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { sentenceOf } from '../../src/storage/database-problems.ts'
import { connectForRounds, openPostgres } from '../../src/storage/postgres.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newDatabase } from '../../testkit/postgres.ts'

const connections = 3

/** Runs statements as the operator of the database. */
async function operate(url: string, ...statements: string[]): Promise<void> {
  const client = new Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

interface Watched {
  readonly url: string
  readonly clock: TestClock
  readonly watch: DatabaseWatch
  /** Messages in the log. */
  readonly messages: () => string[]
  readonly open: () => Promise<Sql>
}

/** Creates a database. `role` has the options of a role that owns nothing but its tables. */
async function newWatched({ role, options = '' }: { role?: string; options?: string } = {}): Promise<Watched> {
  const admin = await newDatabase(inject('postgresUrl'), options)
  const url = new URL(admin)
  if (role !== undefined) {
    const name = `role_${url.pathname.slice(1)}`
    await operate(
      admin,
      `create role ${name} login password 'secret' ${role}`,
      `grant create on schema public to ${name}`,
    )
    Object.assign(url, { username: name, password: 'secret' })
  }
  const lines: string[] = []
  const clock = new TestClock()
  const watch = new DatabaseWatch({ clock, log: createLog('info', { write: (line) => lines.push(line) }) })
  const messages = (): string[] => lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  return {
    url: url.href,
    clock,
    watch,
    messages,
    async open() {
      const sql = await openPostgres(url.href, connections, watch)
      onTestFinished(() => sql.close())
      return sql
    },
  }
}

/** Runs a statement once on each connection, which all are in use at the same time. */
async function onEachConnection(sql: Sql, text: string): Promise<void> {
  const { promise: allBegan, resolve } = Promise.withResolvers<void>()
  let begun = 0
  const hold = (): Promise<void> =>
    sql.tx(async (tx) => {
      await tx.all('select 1')
      if (++begun === connections) resolve()
      await allBegan
      await tx.all(text)
    })
  await Promise.all(Array.from({ length: connections }, hold))
}

function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  return work().then(
    () => 'ok',
    (error: unknown) => (error instanceof StoreUnavailable ? 'unavailable' : String(error)),
  )
}

const insert = 'insert into notes (id) values (1)'
const create = 'create table notes (id bigint)'

const ways: Record<string, (sql: Sql) => Promise<unknown>> = {
  'a single statement': (sql) => sql.all(insert),
  'a transaction': (sql) => sql.tx((tx) => tx.all(insert)),
  'a transaction that is sent at once': (sql) => sql.atOnce((tx) => [tx.all(insert)]),
}

/** What happens to every connection, each time in a session that goes on. */
const ends: Record<string, string> = {
  'accept only reads': 'set session characteristics as transaction read only',
  'lost what they prepared': 'deallocate all',
}

test.each(
  Object.entries(ways).flatMap(([way, write]) =>
    Object.entries(ends).map(([end, text]) => ({ way, write, end, text })),
  ),
)('connections that $end fail $way once, and are not used again', async ({ write, text }) => {
  const { open } = await newWatched()
  const sql = await open()
  await sql.tx((tx) => tx.script(create))
  await onEachConnection(sql, insert)
  await onEachConnection(sql, text)
  expect(await outcomeOf(() => write(sql))).toBe('unavailable')
  for (let i = 0; i < 2 * connections; i++) expect(await outcomeOf(() => write(sql))).toBe('ok')
})

test('connections of the identity provider that accept only reads are not used again either', async () => {
  const { url, watch, open } = await newWatched()
  const identity = await openIdentitySchema(url, await open(), watch)
  onTestFinished(() => identity.close())
  const pool = identity.database as Pool
  await pool.query(create)
  const held: PoolClient[] = []
  for (let i = 0; i < connections; i++) held.push(await pool.connect())
  for (const client of held) {
    await client.query('set session characteristics as transaction read only')
    client.release()
  }
  await expect(pool.query(insert)).rejects.toThrow(/read-only/)
  for (let i = 0; i < 2 * connections; i++) await pool.query(insert)
})

test('connections that the server ends one by one are replaced, and no request after the first fails', async () => {
  const { url, open } = await newWatched()
  const sql = await open()
  await sql.tx((tx) => tx.script(create))
  await onEachConnection(sql, insert)
  const end =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rollkey' and datname = current_database()"
  const first = outcomeOf(() => sql.all('select pg_sleep(60)'))
  const sleeping =
    "select pid from pg_stat_activity where query = 'select pg_sleep(60)' and datname = current_database()"
  await expect.poll(() => sql.all(sleeping)).toHaveLength(1)
  await operate(url, end)
  expect(await first).toBe('unavailable')
  await expect.poll(() => outcomeOf(() => sql.all(insert))).toBe('ok')
  for (let i = 0; i < 2 * connections; i++) expect(await outcomeOf(() => sql.all(insert))).toBe('ok')
})

test('a database that was made read-only is refused, and used again by itself when it is not', async () => {
  const { url, messages, open } = await newWatched()
  const sql = await open()
  await sql.tx((tx) => tx.script(create))
  const name = new URL(url).pathname.slice(1)
  await operate(
    url,
    `alter database ${name} set default_transaction_read_only = on`,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  const seen = async (): Promise<string[]> => {
    await outcomeOf(() => sql.all('select 1'))
    return messages()
  }
  await expect.poll(seen).toHaveLength(1)
  expect(await outcomeOf(() => sql.all('select 1'))).toBe('unavailable')
  await expect(openPostgres(url, 1)).rejects.toThrow(
    'The database of ROLLKEY_DATABASE_URL accepts only reads: reset default_transaction_read_only of the server, the database and the role.',
  )
  await operate(
    `${url}&options=-c%20default_transaction_read_only%3Doff`,
    `alter database ${name} reset default_transaction_read_only`,
  )
  await expect.poll(() => outcomeOf(() => sql.all(insert))).toBe('ok')
  expect(messages()).toEqual([
    'the database accepts only reads: reset default_transaction_read_only of the server, the database and the role',
    'the database accepts connections again',
  ])
})

test('connections that are refused are logged with what to do', async () => {
  const { messages, open } = await newWatched({ role: 'connection limit 1' })
  const sql = await open()
  const free = Promise.withResolvers<void>()
  const held = sql.tx(async (tx) => {
    await tx.all('select 1')
    await free.promise
  })
  const outcomes = await Promise.all([
    outcomeOf(() => sql.all('select 1')),
    outcomeOf(() => sql.tx((tx) => tx.all('select 1'))),
  ])
  expect(outcomes).toEqual(['unavailable', 'unavailable'])
  free.resolve()
  await held
  expect(await outcomeOf(() => sql.all('select 1'))).toBe('ok')
  expect(messages()).toEqual([
    expect.stringMatching(/^the database refuses further connections: raise max_connections/),
  ])
})

test('a right that was taken away makes the store unavailable, with what to do', async () => {
  const { url, open } = await newWatched({ role: '' })
  const sql = await open()
  await sql.tx((tx) => tx.script(create))
  const [admin, { username }] = [new URL(inject('postgresUrl')), new URL(url)]
  admin.pathname = new URL(url).pathname
  await operate(admin.href, `alter table notes owner to postgres`)
  const refused = await sql.all(insert).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(StoreUnavailable)
  expect((refused as Error).message).toMatch(
    /refuses the role of ROLLKEY_DATABASE_URL a right: make the role the owner/,
  )
  await operate(admin.href, `alter table notes owner to ${username}`)
  expect(await outcomeOf(() => sql.all(insert))).toBe('ok')
})

test.each([
  ['without TLS', (url: URL) => url.searchParams.set('sslmode', 'require'), 'has no TLS: switch it on there'],
  ['with a wrong password', (url: URL) => void (url.password = 'wrong'), 'refuses the user or the password'],
  ['that does not exist', (url: URL) => void (url.pathname = '/nowhere'), 'does not exist: create it'],
])('a start on a database %s says so in one sentence', async (_, change, sentence) => {
  const warnings: Error[] = []
  const warn = (warning: Error): void => void warnings.push(warning)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const url = new URL(inject('postgresUrl'))
  change(url)
  await expect(openPostgres(url.href, 1)).rejects.toThrow(`The database of ROLLKEY_DATABASE_URL ${sentence}`)
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
})

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'add the certificate of the authority to the address with sslrootcert=FILE'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'add the certificate of the authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'add the certificate of the authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'add the certificate of the authority'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'use the name of the certificate in the address'],
  ['CERT_HAS_EXPIRED', 'has a certificate that has expired: renew it'],
])('a certificate that is refused with %s comes with what to do', (code, sentence) => {
  const refused = Object.assign(new Error('self-signed certificate'), { code })
  expect(sentenceOf(new Error('no connection', { cause: refused }))).toContain(sentence)
})

test('the least rights of docs/operator-guide.md suffice for a start, and without them it says which are missing', async () => {
  const { url, open } = await newWatched({ role: '' })
  const sql = await open()
  await expect(openIdentitySchema(url, sql)).rejects.toThrow('grant it create on the database')
  const [admin, { username, pathname }] = [new URL(inject('postgresUrl')), new URL(url)]
  admin.pathname = pathname
  await operate(admin.href, `grant connect, create on database ${pathname.slice(1)} to ${username}`)
  await migrate(sql, 0, createLog('silent'))
  await (await openIdentitySchema(url, sql)).close()
})

const replaced = 'the database was started again or is another one: this node reads everything from it again'

test('a database that was created in place of another is another one, also for a statement that waits for a connection', async () => {
  const { url, watch, messages, open } = await newWatched()
  const sql = await open()
  const rounds = connectForRounds(url, 1, watch)
  onTestFinished(() => rounds.close())
  const name = new URL(url).pathname.slice(1)
  let times = 0
  watch.onReplaced(() => times++)
  await operate(inject('postgresUrl'), `drop database ${name} with (force)`, `create database ${name}`)
  expect(await rounds.all('select 1').catch((error: Error) => error.cause)).toEqual(
    new Error('The database was replaced.'),
  )
  expect(await outcomeOf(() => rounds.all('select 1'))).toBe('ok')
  await expect.poll(() => outcomeOf(() => sql.all('select 1'))).toBe('ok')
  expect(times).toBe(1)
  expect(messages().filter((message) => message === replaced)).toHaveLength(1)
})

test('an answer of the former database that comes after one of the present is not followed, a later one is', async () => {
  const { watch } = await newWatched()
  const from = (server: string) => ({ now_ms: 0, server })
  expect(watch.connected(watch.ask(), from('former'))).toBe(true)
  const [late, next] = [watch.ask(), watch.ask()]
  expect(watch.connected(next, from('present'))).toBe(true)
  expect(watch.connected(late, from('former'))).toBe(false)
  expect(watch.replacements).toBe(1)
  expect(watch.connected(watch.ask(), from('former'))).toBe(true)
  expect(watch.replacements).toBe(2)
})

test('a connection is used for a minute, even if it is in use all the time', async () => {
  const { url } = await newWatched()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sql = await openPostgres(url, 1)
  onTestFinished(() => sql.close())
  const pid = 'select pg_backend_pid() as pid'
  const later = (ms: number) =>
    sql.tx(async (tx) => {
      const rows = await tx.all(pid)
      vi.advanceTimersByTime(ms)
      return rows
    })
  const first = await later(59_000)
  expect(await later(1_000)).toEqual(first)
  expect(await sql.all(pid)).not.toEqual(first)
})

test('a full disk makes the store unavailable, with what to do', async () => {
  const { open } = await newWatched()
  const sql = await open()
  const refused = await sql.all("copy (select 1) to '/dev/full'").catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(StoreUnavailable)
  expect((refused as Error).message).toBe(
    'The database of ROLLKEY_DATABASE_URL has no space left on its disk: free some space.',
  )
  expect(await outcomeOf(() => sql.all('select 1'))).toBe('ok')
})

test('a start on a database with another encoding says which one is needed', async () => {
  const { open } = await newWatched({ options: `encoding 'LATIN1' locale 'C' template template0` })
  await expect(open()).rejects.toThrow('The database has the encoding LATIN1 (expected UTF8): create another one')
})

test("a clock that differs from the database's is logged once and measured at each new connection", async () => {
  const { url, clock, watch, messages, open } = await newWatched()
  clock.advance(3_600_000)
  const sql = await open()
  await onEachConnection(sql, 'select 1')
  const warning = 'the clocks of this node and of the database differ: synchronize both with NTP'
  expect(messages()).toEqual([warning])
  expect(Math.round(watch.clockDifferenceMs / 60_000)).toBe(60)
  clock.advance(-7_200_000)
  await (await openPostgres(url, 1, watch)).close()
  expect(Math.round(watch.clockDifferenceMs / 60_000)).toBe(-60)
  clock.advance(3_600_000)
  await (await openPostgres(url, 1, watch)).close()
  expect(Math.abs(watch.clockDifferenceMs)).toBeLessThan(1_800_000)
  clock.advance(3_600_000)
  await (await openPostgres(url, 1, watch)).close()
  expect(messages()).toEqual([warning, warning])
})

test.each([
  ['before the question', 1_000, 900, 2_000, 100],
  ['between question and answer', 1_000, 1_500, 2_000, 0],
  ['after the answer', 1_000, 2_100, 2_000, -100],
])('a database whose time is %s', (_, beforeMs, databaseMs, afterMs, differenceMs) => {
  expect(clockDifferenceMs(beforeMs, databaseMs, afterMs)).toBe(differenceMs)
})
