/** One PostgreSQL for all the tests of a run, of whichever project. */
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

/** Each project has an instance of this module, but all are in one process. */
const run = globalThis as { rollkeyPostgres?: Shared }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // What is lost with the machine is not what these tests are about; those of crashes start one that syncs.
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
