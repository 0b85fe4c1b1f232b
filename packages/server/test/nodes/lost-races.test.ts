/** Nodes that lose races for a stage and for a request key start over, and PostgreSQL's log has no error of it. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUser, type TestClient, type TokenPair } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { startPostgres, type TestPostgres } from '../../testkit/postgres.ts'
import { startCluster, type Cluster, type ClusterNode } from './cluster.ts'

const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'live' }

let postgres: TestPostgres
let cluster: Cluster
let pair: TokenPair

beforeAll(async () => {
  postgres = await startPostgres()
  cluster = await startCluster(3, [postgres.url, postgres.url, postgres.url])
  const [{ app }] = cluster.nodes as [ClusterNode]
  pair = await app.client.login(newUser())
  await write(app.client, 'A', 'first')
})
afterAll(async () => {
  await cluster.close()
  await postgres.close()
})

/** Writes a variable. The value is also the request id, which reaches the database unencrypted. */
async function write(client: TestClient, name: string, value: string): Promise<number> {
  const body = { ...at, mode: 'upsert', entries: [secret(name, value)] }
  const options = { token: pair.accessToken, headers: { 'x-request-id': value } }
  const { status, body: answer } = await client.call('write', body, options)
  expect(status).toBe(200)
  return answer.revision as number
}

/** Expects each revision to have one change and one entry in the audit log. */
async function expectWhole(revisions: number): Promise<void> {
  const client = new Client(postgres.url)
  await client.connect()
  const revisionsIn = async (table: string): Promise<number[]> => {
    const { rows } = await client.query<{ revision: string }>(`select revision from ${table} order by revision`)
    return rows.map(({ revision }) => Number(revision))
  }
  const all = Array.from({ length: revisions }, (_, index) => index + 1)
  expect(await revisionsIn('stages')).toEqual([revisions])
  expect(await revisionsIn('variable_history')).toEqual(all)
  expect(await revisionsIn("audit where action in ('variable.create', 'variable.update')")).toEqual(all)
  await client.end()
}

test("a write that loses the race for its stage leaves nothing, not even an error in PostgreSQL's log, and starts over", async () => {
  const [slow, fast] = cluster.nodes as [ClusterNode, ClusterNode]
  const isHeld = Promise.withResolvers<void>()
  // The statements of the write and its commit are one message, sent after the stage was found current.
  slow.way.judge = (bytes) => {
    if (!bytes.includes('held-write')) return 'pass'
    slow.way.judge = () => 'pass'
    isHeld.resolve()
    return 'hold'
  }
  const held = write(slow.app.client, 'B', 'held-write')
  await isHeld.promise
  const overtaking = await write(fast.app.client, 'C', 'overtaking')
  slow.way.resume()
  expect(await held).toBe(overtaking + 1)
  await expectWhole(overtaking + 1)
  expect(postgres.errors).toEqual([])
})

test('writers of three nodes to one stage cause no errors, and each revision is one write', async () => {
  const revisions = await Promise.all(
    cluster.nodes.flatMap(({ app: { client } }, node) =>
      [0, 1, 2].map(async (writer) => {
        const written: number[] = []
        for (let i = 0; i < 3; i++) written.push(await write(client, `W_${node}_${writer}`, `${node}-${writer}-${i}`))
        return written
      }),
    ),
  )
  const all = revisions.flat()
  expect(new Set(all).size).toBe(all.length)
  await expectWhole(Math.max(...all))
  expect(postgres.errors).toEqual([])
})
