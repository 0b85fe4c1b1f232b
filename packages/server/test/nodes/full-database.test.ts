/** The disk of the database is full: no file of a real PostgreSQL grows any more. Its log of writes has room, as it usually has. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUser, type TokenPair } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { startPostgres, type TestPostgres } from '../../testkit/postgres.ts'
import { startCluster, type Cluster, type ClusterNode } from './cluster.ts'

/** More than each file of a new database and of its log of writes, which has segments of 1 MiB here. */
const fullBytes = 2 * 1024 * 1024
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'live' }

let postgres: TestPostgres
let cluster: Cluster
let node: ClusterNode
let pair: TokenPair

beforeAll(async () => {
  postgres = await startPostgres({}, ['--wal-segsize=1'])
  cluster = await startCluster(1, [postgres.url])
  node = cluster.nodes[0] as ClusterNode
  pair = await node.app.client.login(newUser())
})
afterAll(async () => {
  await cluster.close()
  await postgres.close()
})

async function outcomeOf(name: 'write' | 'evaluate' | 'list', input: object): Promise<unknown> {
  const { status, body } = await node.app.client.call(name, { ...at, ...input }, { token: pair.accessToken })
  return status === 200 ? 200 : [status, body.error.code]
}

/** Writes half a megabyte under new names, or stores nothing. */
function writeMuch(name: string): Promise<unknown> {
  const entries = Array.from({ length: 10 }, (_, index) => secret(`${name}_${index}`, 'x'.repeat(50_000)))
  return outcomeOf('write', { mode: 'upsert', entries })
}

test('what is too large is refused and leaves nothing, the rest goes on, and all works once there is space', async () => {
  expect(await outcomeOf('write', { mode: 'upsert', entries: [secret('A', 'v')] })).toBe(200)
  postgres.limitFiles(fullBytes)
  let stored = 0
  let outcome: unknown
  while ((outcome = await writeMuch(`W${stored}`)) === 200) stored++
  expect(outcome).toEqual([503, 'BILLING_UNAVAILABLE'])
  expect(postgres.errors.at(-1)).toContain('could not extend file')
  expect(await outcomeOf('evaluate', { name: 'A' })).toBe(200)
  expect(await outcomeOf('list', {})).toBe(200)
  expect((await fetch(`${node.app.url}/readyz`)).status).toBe(200)
  expect(await writeMuch(`W${stored}`)).toEqual([503, 'BILLING_UNAVAILABLE'])
  postgres.limitFiles(undefined)
  expect(await writeMuch('AFTER')).toBe(200)
  const { variables } = (await node.app.client.call('pull', at, { token: pair.accessToken })).body
  expect(Object.keys(variables)).toHaveLength(1 + 10 * stored + 10)
})
