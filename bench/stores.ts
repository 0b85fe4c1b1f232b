/** Where a Rollkey of the bench keeps everything: a folder, and with PostgreSQL a database of its own on one server. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { connectPostgres } from '../packages/server/src/storage/postgres.ts'
import { newDatabase, startPostgres, type TestPostgres } from '../packages/server/testkit/postgres.ts'
import { loadCore, newFolder, pin } from './machine.ts'

export const storeNames = ['embedded', 'postgres'] as const
export type StoreName = (typeof storeNames)[number]
export const storeTitles = { embedded: 'embedded', postgres: 'PostgreSQL' } as const

export interface Home {
  readonly store: StoreName
  /** The checkout whose service it is of. */
  readonly checkout: string
  readonly folder: string
  /** For a node; on PostgreSQL any number of them may have the same. */
  readonly settings: Readonly<Record<`ROLLKEY_${string}`, string>>
  /** Statements, or those with a text in them, that the database has been asked for so far, as it counts them itself; 0 without one. */
  readonly statements: (containing?: string) => Promise<number>
}

const counting = `select coalesce(sum(calls), 0)::int8 as calls from pg_stat_statements
  where dbid = (select oid from pg_database where datname = $1) and position($2 in query) > 0`

/** A single caller asks as often as it can. Another checkout need not have every limit, and refuses what it does not know. */
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
    if (store === 'embedded') return { store, checkout, folder, settings, statements: () => Promise.resolve(0) }
    const { url } = await this.#server()
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
    }
  }

  /** An empty database for somebody else. */
  async newDatabase(): Promise<string> {
    return newDatabase((await this.#server()).url)
  }

  async close(): Promise<void> {
    await (await this.#postgres)?.close()
  }

  #server(): Promise<TestPostgres> {
    return (this.#postgres ??= this.#start())
  }

  /** It syncs as it would anywhere, and stands where the load does: on another machine than the service. */
  async #start(): Promise<TestPostgres> {
    const postgres = await startPostgres({ shared_preload_libraries: 'pg_stat_statements' })
    pin(loadCore, postgres.pid)
    const sql = connectPostgres(postgres.url, 1)
    await sql.all('create extension pg_stat_statements')
    await sql.close()
    return postgres
  }
}
