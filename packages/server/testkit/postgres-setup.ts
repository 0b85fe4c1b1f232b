/** One PostgreSQL for all the tests of a run. */
import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresUrl: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // What is lost with the machine is not what these tests are about; those of crashes start one that syncs.
  const postgres = await startPostgres({ fsync: 'off', max_connections: '300' })
  project.provide('postgresUrl', postgres.url)
  return () => postgres.close()
}
