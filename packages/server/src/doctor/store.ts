/** The store, the keys in it, and the database below it. */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import type { Clock } from '../base/clock.ts'
import { faultsOf } from '../storage/integrity.ts'
import { dataKeysOfProject, installationKey } from '../storage/keys.ts'
import { newestSchema, schemaVersion } from '../storage/migrate.ts'
import { first, type Reader } from '../storage/sql.ts'
import { everyStage } from '../storage/stages.ts'
import { fail, ok, warn, type Check, type Checks, type Finding } from './finding.ts'

/** A write takes several round trips. */
const slowMs = 10
const tries = 5
/** Beside the setting: docs/settings.md, DATABASE_CONNECTIONS. */
const otherConnections = 7
/** Each node decides by its own clock what has expired. */
const skewedMs = 1_000
const tooSkewedMs = 10_000

async function setting(sql: Reader, name: string): Promise<string> {
  const row = await first(sql.all<{ value: string | null }>('select current_setting($1, true) as value', name))
  return row?.value ?? ''
}

interface Means {
  readonly needed: number
  readonly clock: Clock
}

export function latency(medianMs: number): Finding {
  const found = `${medianMs.toFixed(1)} ms`
  return medianMs > slowMs ? warn(found, 'Put the nodes beside the database.') : ok(found)
}

function onPostgres(check: (sql: Reader, means: Means) => ReturnType<Check>): Check {
  return ({ sql, clock, config: { DATABASE_URL, DATABASE_CONNECTIONS, WORKERS } }) =>
    sql && DATABASE_URL !== undefined
      ? check(sql, { needed: (DATABASE_CONNECTIONS + otherConnections) * (WORKERS || availableParallelism()), clock })
      : undefined
}

export const storeChecks: Checks = {
  store: ({ sql, config: { DATABASE_URL, DATA_DIR } }) => {
    if (sql) return ok(DATABASE_URL === undefined ? `embedded, in ${DATA_DIR}` : 'PostgreSQL answers')
    if (DATABASE_URL !== undefined) {
      return fail(
        'the database of ROLLKEY_DATABASE_URL does not answer',
        'Start it, or correct the address and password.',
      )
    }
    return warn(`there is none in ${DATA_DIR} yet`, 'Start the service, or correct ROLLKEY_DATA_DIR.')
  },
  schema: async ({ sql }) => {
    if (!sql) return undefined
    const [found, newest] = [await schemaVersion(sql), newestSchema()]
    if (found === newest) return ok(`${found}`)
    if (found > newest) return fail(`${found} is of a newer Rollkey than this`, 'Start the newer one.')
    return warn(`${found}, this Rollkey has ${newest}`, 'The next start brings it up: make a backup before.')
  },
  integrity: ({ sql, config: { DATABASE_URL, DATA_DIR } }) => {
    if (!sql || DATABASE_URL !== undefined) return undefined
    const files = ['rollkey.db', 'identity.db'].filter((name) => existsSync(path.join(DATA_DIR, name)))
    const faults = files.flatMap((name) => faultsOf(path.join(DATA_DIR, name)).map((fault) => `${name}: ${fault}`))
    if (faults.length === 0) return ok(`${files.join(' and ')} are whole`)
    return fail(faults.join('; '), 'Stop the service, keep the files, and restore the latest backup that verifies.')
  },
  'data keys': async ({ sql, openKeyring }) => {
    if (!sql || !(await installationKey(sql))) return undefined
    const keyring = await openKeyring(sql)
    const projects = new Set((await everyStage(sql)).map(({ projectId }) => projectId))
    let lost = 0
    for (const projectId of projects) {
      const [stored, opened] = [await dataKeysOfProject(sql, projectId), await keyring.keysOf(projectId)]
      if (opened.length < stored.length) lost++
    }
    if (lost === 0) return ok(`the master key opens those of all ${projects.size} projects`)
    return fail(
      `of ${lost} of ${projects.size} projects, keys cannot be opened`,
      'docs/operator-guide.md, “A lost master key”.',
    )
  },
  'database latency': onPostgres(async (sql) => {
    const times: number[] = []
    for (let i = 0; i < tries; i++) {
      const startedAt = performance.now()
      await sql.all('select 1')
      times.push(performance.now() - startedAt)
    }
    const median = times.toSorted((a, b) => a - b)[Math.floor(tries / 2)] ?? 0
    return latency(median)
  }),
  'database connections': onPostgres(async (sql, { needed }) => {
    const most =
      Number(await setting(sql, 'max_connections')) - Number(await setting(sql, 'superuser_reserved_connections'))
    const nodes = Math.floor(most / needed)
    const found = `${most}, enough for ${nodes} nodes of ${needed}`
    return nodes > 0 ? ok(found) : fail(found, 'Raise max_connections, or lower ROLLKEY_DATABASE_CONNECTIONS.')
  }),
  'database durability': onPostgres(async (sql) => {
    const off: string[] = []
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      if ((await setting(sql, name)) === 'off') off.push(name)
    }
    if (off.length > 0)
      return fail(`${off.join(', ')} off: what was acknowledged may be lost`, 'Set them on in postgresql.conf.')
    if ((await setting(sql, 'data_checksums')) === 'on') return ok('every commit is synced, pages have checksums')
    return warn('pages have no checksums', 'Stop PostgreSQL and run pg_checksums --enable.')
  }),
  'database clock': onPostgres(async (sql, { clock }) => {
    const before = clock.now()
    const row = await first(
      sql.all<{ ms: number }>('select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms'),
    )
    const theirs = row?.ms ?? 0
    // The answer may have taken long: what lies between question and answer is no difference.
    const apart = Math.max(before - theirs, theirs - clock.now(), 0)
    const found = `${(apart / 1_000).toFixed(1)} s apart`
    const todo = 'Let an NTP service set the clocks of all machines.'
    if (apart > tooSkewedMs) return fail(found, todo)
    return apart > skewedMs ? warn(found, todo) : ok(found)
  }),
}
