/** The checks of PostgreSQL. They read its settings with SQL that other databases do not understand. */
import { availableParallelism } from 'node:os'
import { countText } from '../base/count-text.ts'
import type { Clock } from '../base/clock.ts'
import { clockDifferenceMs, maxClockDifferenceMs } from '../storage/database-watch.ts'
import { first, type Reader } from '../storage/sql.ts'
import { fail, ok, warn, type Check, type Checks, type Finding } from './finding.ts'

/** The round trip above which the database counts as slow: a write takes several. */
const slowMs = 10
const samples = 5
/** Connections per process in addition to ROLLKEY_DATABASE_CONNECTIONS (docs/settings.md). */
const otherConnections = 7
const tooSkewedMs = 10_000

async function setting(sql: Reader, name: string): Promise<string> {
  const row = await first(sql.all<{ value: string | null }>('select current_setting($1, true) as value', name))
  return row?.value ?? ''
}

/** Returns the number of connections that the server, the database and the role allow. */
async function connectionLimit(sql: Reader): Promise<number> {
  const server =
    Number(await setting(sql, 'max_connections')) - Number(await setting(sql, 'superuser_reserved_connections'))
  const limits = await sql.all<{ limit: number }>(
    `select datconnlimit as limit from pg_database where datname = current_database()
     union all select rolconnlimit from pg_roles where rolname = current_user`,
  )
  return Math.min(server, ...limits.map(({ limit }) => limit).filter((limit) => limit >= 0))
}

/** Returns the tables that the role may not read or write. */
async function missingRights(sql: Reader): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    `select c.relname as name from pg_class c, unnest(array['select', 'insert', 'update', 'delete']) as verb
     where c.relkind = 'r' and c.relnamespace = cast(current_schema() as regnamespace)
       and not has_table_privilege(c.oid, verb)
     group by c.relname order by c.relname`,
  )
  return rows.map(({ name }) => name)
}

interface DatabaseContext {
  readonly needed: number
  readonly clock: Clock
}

export function latency(medianMs: number): Finding {
  const found = `${medianMs.toFixed(1)} ms`
  return medianMs > slowMs ? warn(found, 'Run the nodes close to the database, such as in the same zone.') : ok(found)
}

function onPostgres(check: (sql: Reader, context: DatabaseContext) => ReturnType<Check>): Check {
  return ({ sql, clock, config: { DATABASE_URL, DATABASE_CONNECTIONS, WORKERS } }) =>
    sql && DATABASE_URL !== undefined
      ? check(sql, { needed: (DATABASE_CONNECTIONS + otherConnections) * (WORKERS || availableParallelism()), clock })
      : undefined
}

export const databaseChecks: Checks = {
  'database latency': onPostgres(async (sql) => {
    const times: number[] = []
    for (let i = 0; i < samples; i++) {
      const startedAt = performance.now()
      await sql.all('select 1')
      times.push(performance.now() - startedAt)
    }
    const median = times.toSorted((a, b) => a - b)[Math.floor(samples / 2)] ?? 0
    return latency(median)
  }),
  'database connections': onPostgres(async (sql, { needed }) => {
    const maxConnections = await connectionLimit(sql)
    const nodes = Math.floor(maxConnections / needed)
    const found = `${maxConnections}, enough for ${countText(nodes, 'node')} with ${needed} each`
    if (nodes > 0) return ok(found)
    return fail(
      found,
      'Raise max_connections, or the connection limit of the role or the database, or lower ROLLKEY_DATABASE_CONNECTIONS.',
    )
  }),
  'database rights': onPostgres(async (sql) => {
    const missing = await missingRights(sql)
    if (missing.length === 0) return ok('to read and write all tables')
    return fail(`missing on ${missing.join(', ')}`, 'Make the role of ROLLKEY_DATABASE_URL the owner of the tables.')
  }),
  'database encoding': onPostgres(async (sql) => {
    const encoding = await setting(sql, 'server_encoding')
    if (encoding === 'UTF8') return ok(encoding)
    return fail(`${encoding} has not all characters`, 'Move to a database that was created with the encoding UTF8.')
  }),
  'database durability': onPostgres(async (sql) => {
    const off: string[] = []
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      if ((await setting(sql, name)) === 'off') off.push(name)
    }
    if (off.length > 0)
      return fail(`off: ${off.join(', ')}; acknowledged writes may be lost`, 'Turn them on in postgresql.conf.')
    if ((await setting(sql, 'data_checksums')) === 'on') return ok('every commit is synced and pages have checksums')
    return warn('pages have no checksums', 'Stop PostgreSQL and run pg_checksums --enable.')
  }),
  'database clock': onPostgres(async (sql, { clock }) => {
    const before = clock.now()
    const row = await first(
      sql.all<{ ms: number }>('select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms'),
    )
    const databaseMs = row?.ms ?? 0
    const differenceMs = Math.abs(clockDifferenceMs(before, databaseMs, clock.now()))
    const found = `${(differenceMs / 1_000).toFixed(1)} s apart`
    const todo = 'Synchronize the clocks of all machines with NTP.'
    if (differenceMs > tooSkewedMs) return fail(found, todo)
    return differenceMs > maxClockDifferenceMs ? warn(found, todo) : ok(found)
  }),
}
