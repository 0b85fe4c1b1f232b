/** Removes, stalls and breaks the database mid-request. Acknowledged data stays, and the nodes recover by themselves. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { EndpointName } from '@rollkey/contract'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newUser, type TestClient, type TokenPair } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { isLong } from '../../testkit/long.ts'
import type { TcpProxy } from '../../testkit/tcp-proxy.ts'
import { startPostgres, withTimeLimit, type TestPostgres } from '../../testkit/postgres.ts'
import { Random } from '../../testkit/random.ts'
import { VaultClient } from '../../testkit/vault.ts'
import { startCluster, type Cluster, type ClusterNode } from './cluster.ts'
import { Recorder, violationsOf, type Register } from './linearizable.ts'

const rounds = isLong ? 400 : 20
const limitMs = 1_000
const patience = { interval: 1, timeout: 120_000 }

let postgres: TestPostgres
let cluster: Cluster
/** A node with the time limits of production, and one whose limits nothing reaches. */
let limited: ClusterNode
let patient: ClusterNode
let pair: TokenPair
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'live' }

beforeAll(async () => {
  postgres = await startPostgres()
  cluster = await startCluster(2, [withTimeLimit(postgres.url, limitMs), postgres.url])
  ;[limited, patient] = cluster.nodes as [ClusterNode, ClusterNode]
  pair = await patient.app.client.login(newUser())
  await write(patient.app.client, 'A', 'first')
})
afterAll(async () => {
  await cluster.close()
  await postgres.close()
})

/** Uses the value as request id, which reaches the database unencrypted in the record of the change. */
function write(client: TestClient, name: string, value: string) {
  const body = { ...at, mode: 'upsert', entries: [secret(name, value)] }
  return client.call('write', body, { token: pair.accessToken, headers: { 'x-request-id': value } })
}

async function outcomeOf(name: EndpointName, input: object): Promise<unknown> {
  const { status, body } = await limited.app.client.call(name, input, { token: pair.accessToken })
  return status === 200 ? 200 : [status, body.error.code]
}

async function pathOf(path: string): Promise<number> {
  return (await fetch(limited.app.url + path)).status
}

describe.each<[string, { take: () => Promise<void> | void; giveBack: () => Promise<void> | void }]>([
  ['is killed', { take: () => postgres.kill(), giveBack: () => postgres.start() }],
  ['does not answer', { take: () => limited.way.stall(), giveBack: () => limited.way.resume() }],
])('while the database %s', (_, { take, giveBack }) => {
  test('each endpoint answers with its code, and all work again when it is back', async () => {
    await expect.poll(() => outcomeOf('evaluate', { ...at, name: 'A' })).toBe(200)
    await take()
    const billing = [503, 'BILLING_UNAVAILABLE']
    const service = [503, 'SERVICE_UNAVAILABLE']
    const outcomes = await Promise.all([
      outcomeOf('evaluate', { ...at, name: 'A' }),
      outcomeOf('evaluateBatch', { ...at, entries: [{ name: 'A' }] }),
      outcomeOf('pull', at),
      outcomeOf('write', { ...at, mode: 'upsert', entries: [secret('A', 'lost')] }),
      outcomeOf('list', at),
      outcomeOf('manifest', at),
      outcomeOf('session', {}),
      outcomeOf('tokenRefresh', { refreshToken: pair.refreshToken }),
      outcomeOf('deviceStart', { clientName: 'c' }),
      outcomeOf('devicePoll', { deviceCode: `svc_dc_${'x'.repeat(43)}` }),
    ])
    expect(outcomes).toEqual([billing, billing, billing, billing, ...Array.from({ length: 6 }, () => service)])
    // By the Vault protocol it is never an empty answer, nor an absent secret.
    const vault = new VaultClient(limited.app.url)
    const stage = `${at.projectSlug}/data/${at.stageSlug}`
    const [list, token] = [`${at.projectSlug}/metadata`, pair.accessToken]
    const paths = [stage, `${stage}/A`, `${stage}/NONE`, `${list}?list=true`, `${list}/${at.stageSlug}`, 'sys/mounts']
    const answers = await Promise.all(paths.map((path) => vault.get(path, { token })))
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 503))
    expect(await pathOf('/livez')).toBe(200)
    await expect.poll(() => pathOf('/readyz')).toBe(503)
    expect(await vault.get('sys/health')).toMatchObject({ status: 503, body: { sealed: true } })
    await giveBack()
    await expect.poll(() => pathOf('/readyz')).toBe(200)
    await expect.poll(() => outcomeOf('evaluate', { ...at, name: 'A' })).toBe(200)
    pair = await patient.app.client.must('tokenRefresh', { refreshToken: pair.refreshToken })
  })
})

describe('a commit whose connection is', () => {
  test.each(['cut before', 'cut within', 'cut after'] as const)(
    '%s what the database has of it answers 503, and the write is either done or not done',
    async (verdict) => {
      const { way } = patient
      const { client } = patient.app
      for (let i = 0; i < 10; i++) {
        const value = `${verdict.replace(' ', '-')}-${i}`
        let cuts = 0
        // The statements of a write are sent together with its commit.
        way.judge = (bytes) => (bytes.includes(value) && cuts++ === 0 ? verdict : 'pass')
        const { status, body } = await write(client, 'A', value)
        way.judge = () => 'pass'
        expect([status, body.error?.code]).toEqual([503, 'BILLING_UNAVAILABLE'])
        expect(cuts).toBe(1)
        const there = async (): Promise<boolean> => {
          const { variables } = await client.must('pull', at, { token: pair.accessToken })
          return variables.A === value
        }
        await expect.poll(there).toBe(verdict === 'cut after')
        expect((await write(client, 'A', 'next')).status).toBe(200)
      }
    },
  )
})

test('a stop waits for requests in flight, even while the database is slow', async () => {
  const other = await startCluster(1)
  const [{ app, way }] = other.nodes as [ClusterNode]
  const tokens = await app.client.login(newUser())
  const call = (name: EndpointName, input: object) => app.client.call(name, input, { token: tokens.accessToken })
  await call('write', { ...at, mode: 'upsert', entries: [secret('A', '1')] })
  let begun = 0
  const count = (): number => begun++
  subscribe('http.server.request.start', count)
  way.stall()
  const answers = Promise.all(Array.from({ length: 32 }, () => call('evaluate', { ...at, name: 'A' })))
  await expect.poll(() => begun).toBe(32)
  unsubscribe('http.server.request.start', count)
  const stopped = app.stop()
  const isRefused = (): Promise<boolean> =>
    fetch(`${app.url}/livez`, { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    )
  await expect.poll(isRefused).toBe(true)
  way.resume()
  expect((await answers).map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200))
  await stopped
  await other.close()
})

/** Causes one fault after the other, of every kind, on either node's connection. Each lasts until some requests have met it. */
async function trouble(answers: () => number): Promise<void> {
  const random = new Random(11)
  const more = async (count: number): Promise<void> => {
    const enough = answers() + count
    await vi.waitUntil(() => answers() >= enough, patience)
  }
  for (let round = 0; round < rounds; round++) {
    const { way } = random.pick(cluster.nodes)
    await more(20 + random.int(20))
    const kind = round % 5
    if (kind === 0) way.cut()
    else if (kind === 1) {
      way.stall()
      await more(random.int(20))
      way.resume()
    } else if (kind === 4) {
      await postgres.kill()
      await more(random.int(20))
      await postgres.start()
    } else await cutWrites(way, kind === 2 ? 'cut before' : 'cut after', 1 + random.int(3))
  }
}

/** Cuts the connections of some writes at their commits, and those of other transactions in between. */
async function cutWrites(way: TcpProxy, verdict: 'cut before' | 'cut after', count: number): Promise<void> {
  let cuts = 0
  way.judge = (bytes) => {
    // The commit of a write has no text, but its entry for the audit log has.
    const isWrite = bytes.includes('variable.update')
    if (isWrite) cuts++
    return isWrite || bytes.includes('commit') ? verdict : 'pass'
  }
  await vi.waitUntil(() => cuts >= count, patience)
  way.judge = () => 'pass'
}

test('under every kind of fault two nodes are one register, lose nothing acknowledged, and count what they answer', async () => {
  const token = pair.accessToken
  const stage = { ...at, stageSlug: 'faults' }
  const recorder = new Recorder()
  let evaluated = 0
  let sent = 0
  let answers = 0
  const registers = cluster.nodes.map(({ app: { client } }): Register => ({
    async write(value) {
      const body = { ...stage, mode: 'upsert', entries: [secret('A', value)] }
      return (await client.must('write', body, { token })).revision as number
    },
    async read() {
      sent++
      const { variables, revision } = await client.must('pull', stage, { token })
      evaluated++
      return { value: variables.A as string, revision: revision as number }
    },
  }))
  await expect
    .poll(() => recorder.write(registers[0] as Register).then(() => recorder.history.at(-1)?.revision))
    .toBeGreaterThan(0)
  const end = new AbortController()
  const work = async (register: Register, isWriter: boolean): Promise<void> => {
    for (; !end.signal.aborted; answers++) await (isWriter ? recorder.write(register) : recorder.read(register))
  }
  const workers = registers.flatMap((register) => [true, false, false].map((isWriter) => work(register, isWriter)))
  await trouble(() => answers).finally(() => end.abort())
  await Promise.all(workers)
  const { history } = recorder
  const unknown = history.filter(({ revision }) => revision === undefined).length
  // Each round of two kinds has cut a write at least.
  expect(unknown).toBeGreaterThanOrEqual((rounds / 5) * 2)
  expect(violationsOf(history)).toEqual([])

  const client = new Client(postgres.url)
  await client.connect()
  const { rows: kept } = await client.query<{ revision: string }>(
    `select h.revision from variable_history h join stages s on s.id = h.stage_id where s.slug = 'faults'`,
  )
  const revisions = new Set(kept.map(({ revision }) => Number(revision)))
  const acknowledged = history.filter(({ kind, revision }) => kind === 'write' && revision !== undefined)
  expect(acknowledged.filter(({ revision }) => !revisions.has(revision as number))).toEqual([])
  // This adds the usage of nodes to the tables.
  await expect.poll(() => outcomeOf('usage', { orgSlug: at.orgSlug })).toBe(200)
  const { rows } = await client.query<{ used: string }>(
    `select sum(u.evaluations) as used from usage_days u join stages s on s.id = u.stage_id where s.slug = 'faults'`,
  )
  const { rows: callers } = await client.query<{ used: string }>(
    `select sum(u.evaluations) as used from usage_callers u join stages s on s.id = u.stage_id where s.slug = 'faults'`,
  )
  await client.end()
  expect(callers).toEqual(rows)
  expect(Number(rows[0]?.used)).toBeGreaterThanOrEqual(evaluated)
  expect(Number(rows[0]?.used)).toBeLessThanOrEqual(sent)
})
