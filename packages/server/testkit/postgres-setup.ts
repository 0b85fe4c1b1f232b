/** Starts one PostgreSQL for all tests of a run, in all projects. */
import type { TestProject } from 'vitest/node'
import { createLog } from '../src/base/log.ts'
import { migrate } from '../src/storage/migrate.ts'
import { openPostgres } from '../src/storage/postgres.ts'
import { createTemplate, startPostgres, type TestPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string
  }
}

interface Shared {
  readonly postgres: Promise<TestPostgres>
  users: number
}

/** Shared state: each project has an instance of this module, but all run in one process. */
const run = globalThis as { rollkeyPostgres?: Shared }

/** Starts PostgreSQL with a template of databases that have the schema of this build. */
async function start(): Promise<TestPostgres> {
  // These tests do not cover the loss of the machine. Crash tests start a PostgreSQL that syncs.
  const postgres = await startPostgres({ fsync: 'off', max_connections: '300' })
  const sql = await openPostgres(await createTemplate(postgres.url), 1)
  await migrate(sql, Date.now(), createLog('silent'))
  await sql.close()
  return postgres
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (run.rollkeyPostgres ??= { postgres: start(), users: 0 })
  shared.users++
  const postgres = await shared.postgres
  project.provide('postgresUrl', postgres.url)
  return async () => {
    if (--shared.users === 0) await postgres.close()
  }
}
