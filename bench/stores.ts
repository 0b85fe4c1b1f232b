/** Storage for a service under test: a folder, and with PostgreSQL also a separate database on one server. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { connectPostgres } from '../packages/server/src/storage/postgres.ts'
import { newDatabase, startPostgres, type TestPostgres } from '../packages/server/testkit/postgres.ts'
import { loadCore, newFolder, pin } from './machine.ts'
import { cpuMsOfFamily } from './processor-time.ts'

export const storeNames = ['embedded', 'postgres'] as const
export type StoreName = (typeof storeNames)[number]
export const storeTitles = { embedded: 'embedded', postgres: 'PostgreSQL' } as const

export interface Home {
  readonly store: StoreName
  /** Checkout of the service. */
  readonly checkout: string
  readonly folder: string
  /** Settings of a node. On PostgreSQL several nodes can share them. */
  readonly settings: Readonly<Record<`ROLLKEY_${string}`, string>>
  /** Returns how many statements the database has counted so far, or those that contain a text. Returns 0 without a database. */
  readonly statements: (containing?: string) => Promise<number>
  /** Returns the processor time of the database so far in milliseconds. Returns 0 without a database. */
  readonly databaseCpuMs: () => number
}

const counting = `select coalesce(sum(calls), 0)::int8 as calls from pg_stat_statements
  where dbid = (select oid from pg_database where datname = $1) and position($2 in query) > 0`

/** Returns settings that lift the limits of a single caller. Another checkout may lack some, and rejects unknown settings. */
function unlimited(checkout: string): Record<`ROLLKEY_${string}`, string> {
  const known = readFileSync(path.join(checkout, 'docs/settings.md'), 'utf8')
  const limits = ['ROLLKEY_RATE_LIMIT_REQUESTS', 'ROLLKEY_RATE_LIMIT_EXPENSIVE'] as const
  return Object.fromEntries(limits.filter((limit) => known.includes(limit)).map((limit) => [limit, '0']))
}

export class Stores {
  readonly #checkout: string
  #postgres: Promise<TestPostgres> | undefined

  constructor(checkout: string) {
    this.#checkout = checkout
  }

  async newHome(store: StoreName, checkout = this.#checkout): Promise<Home> {
    const folder = newFolder()
    const settings = { ROLLKEY_DATA_DIR: folder, ...unlimited(checkout) }
    if (store === 'embedded')
      return { store, checkout, folder, settings, statements: () => Promise.resolve(0), databaseCpuMs: () => 0 }
    const { url, pid } = await this.#server()
    const database = await newDatabase(url)
    return {
      store,
      checkout,
      folder,
      settings: {
        ...settings,
        ROLLKEY_DATABASE_URL: database,
        ROLLKEY_MASTER_KEY: randomBytes(32).toString('base64'),
      },
      statements: async (containing = '') => {
        const sql = connectPostgres(url, 1)
        const [row] = await sql.all<{ calls: number }>(counting, database.replace(/.*\//, ''), containing)
        await sql.close()
        return row?.calls ?? 0
      },
      databaseCpuMs: () => cpuMsOfFamily(pid) ?? Number.NaN,
    }
  }

  /** Creates an empty database for another server. */
  async newDatabase(): Promise<string> {
    return newDatabase((await this.#server()).url)
  }

  async close(): Promise<void> {
    await (await this.#postgres)?.close()
  }

  #server(): Promise<TestPostgres> {
    return (this.#postgres ??= this.#start())
  }

  /** Starts PostgreSQL with real syncs, on the core of the load, to keep the service's core free. */
  async #start(): Promise<TestPostgres> {
    const postgres = await startPostgres({ shared_preload_libraries: 'pg_stat_statements' })
    pin(loadCore, postgres.pid)
    const sql = connectPostgres(postgres.url, 1)
    await sql.all('create extension pg_stat_statements')
    await sql.close()
    return postgres
  }
}
