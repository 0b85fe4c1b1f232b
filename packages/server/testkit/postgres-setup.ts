/** Starts one PostgreSQL for all tests of a run, in all projects. */
import type { TestProject } from 'vitest/node'
import { startPostgres, type TestPostgres } from './postgres.ts'

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

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // These tests do not cover the loss of the machine. Crash tests start a PostgreSQL that syncs.
  const shared = (run.rollkeyPostgres ??= {
    postgres: startPostgres({ fsync: 'off', max_connections: '300' }),
    users: 0,
  })
  shared.users++
  const postgres = await shared.postgres
  project.provide('postgresUrl', postgres.url)
  return async () => {
    if (--shared.users === 0) await postgres.close()
  }
}
