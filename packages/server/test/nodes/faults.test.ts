/** Removes, stalls and breaks the database mid-request. Acknowledged data stays, and the nodes recover by themselves. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { EndpointName } from '@rollkey/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newUser, type TestClient, type TokenPair } from '../../testkit/client.ts'
import { secret } from '../../testkit/entries.ts'
import { isLong } from '../../testkit/long.ts'
import type { TcpProxy } from '../../testkit/tcp-proxy.ts'
import { seeded } from '../../testkit/random.ts'
import { startCluster, type Cluster, type ClusterNode } from './cluster.ts'
import { Recorder, violationsOf, type Register } from './linearizable.ts'

const answerMs = 2_000
const recoveryMs = 5_000
const faultyMs = isLong ? 120_000 : 5_000

let cluster: Cluster
let first: ClusterNode
let pair: TokenPair
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'live' }

beforeAll(async () => {
  cluster = await startCluster(2)
  first = cluster.nodes[0] as ClusterNode
  pair = await first.app.client.login(newUser())
  await write(first.app.client, 'A', 'first')
})
afterAll(() => cluster.close())

/** Uses the value as request id, which reaches the database unencrypted in the record of the change. */
function write(client: TestClient, name: string, value: string) {
  const body = { ...at, mode: 'upsert', entries: [secret(name, value)] }
  return client.call('write', body, { token: pair.accessToken, headers: { 'x-request-id': value } })
}

async function outcomeOf(name: EndpointName, input: object): Promise<unknown> {
  const startedAt = performance.now()
  const { status, body } = await first.app.client.call(name, input, { token: pair.accessToken })
  expect(performance.now() - startedAt).toBeLessThan(answerMs)
  return status === 200 ? 200 : [status, body.error.code]
}

async function pathOf(path: string): Promise<number> {
  return (await fetch(first.app.url + path)).status
}

describe.each<[string, { take: () => Promise<void> | void; giveBack: () => Promise<void> | void }]>([
  ['is killed', { take: () => cluster.postgres.kill(), giveBack: () => cluster.postgres.start() }],
  ['does not answer', { take: () => first.way.stall(), giveBack: () => first.way.resume() }],
])('while the database %s', (_, { take, giveBack }) => {
  test('each endpoint answers with its code within 2 seconds, and all work again within 5', async () => {
    expect(await outcomeOf('evaluate', { ...at, name: 'A' })).toBe(200)
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
    expect([await pathOf('/livez'), await pathOf('/readyz')]).toEqual([200, 503])
    await giveBack()
    await vi.waitFor(async () => expect(await pathOf('/readyz')).toBe(200), { timeout: recoveryMs, interval: 50 })
    await vi.waitFor(async () => expect(await outcomeOf('evaluate', { ...at, name: 'A' })).toBe(200), {
      timeout: 1_000,
    })
    pair = await first.app.client.must('tokenRefresh', { refreshToken: pair.refreshToken })
  })
})

describe('a commit whose connection is', () => {
  test.each(['cut before', 'cut within', 'cut after'] as const)(
    '%s what the database has of it answers 503, and the write is either done or not done',
    async (verdict) => {
      const { client } = first.app
      const { way } = first
      for (let i = 0; i < 10; i++) {
        const value = crypto.randomUUID()
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
        await vi.waitFor(async () => expect(await there()).toBe(verdict === 'cut after'), { timeout: 1_000 })
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
  await vi.waitFor(() => expect(begun).toBe(32), recoveryMs)
  unsubscribe('http.server.request.start', count)
  const stopped = app.stop()
  await new Promise((resolve) => setTimeout(resolve, 200))
  way.resume()
  expect((await answers).map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200))
  await stopped
  await other.close()
})

/** Causes one fault after the other, of every kind, on either node's connection. */
async function trouble(isOver: (faults: number) => boolean, random: () => number): Promise<number> {
  const ways = cluster.nodes.map(({ way }) => way)
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  let faults = 0
  for (let kind = 0; !isOver(faults); kind++, faults++) {
    const way = ways[Math.floor(random() * ways.length)] as TcpProxy
    await pause(50 + random() * 300)
    if (kind % 5 === 0) way.cut()
    else if (kind % 5 === 1) {
      way.stall()
      await pause(random() * 600)
      way.resume()
    } else if (kind % 5 === 4) {
      await cluster.postgres.kill()
      await pause(random() * 300)
      await cluster.postgres.start()
    } else {
      const verdict = kind % 5 === 2 ? 'cut before' : 'cut after'
      // The commit of a write has no text, but its entry for the audit log has.
      way.judge = (bytes) => (bytes.includes('commit') || bytes.includes('variable.update') ? verdict : 'pass')
      await pause(random() * 200)
      way.judge = () => 'pass'
    }
  }
  return faults
}

test(
  'under every kind of fault two nodes are one register, lose nothing acknowledged, and count what they answer',
  async () => {
    const token = pair.accessToken
    const stage = { ...at, stageSlug: 'faults' }
    const recorder = new Recorder()
    let evaluated = 0
    let sent = 0
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
    await recorder.write(registers[0] as Register)
    const startedAtMs = performance.now()
    const end = new AbortController()
    // A busy machine meets fewer faults in the same time. The load then continues, so that the checks below are meaningful.
    const isEnough = (faults: number): boolean => {
      const met = recorder.history.filter(({ revision }) => revision === undefined).length
      const passedMs = performance.now() - startedAtMs
      const isOver =
        passedMs > 5 * faultyMs || (passedMs > faultyMs && faults > 10 && met > 3 && recorder.history.length > 500)
      if (isOver) end.abort()
      return isOver
    }
    const work = async (register: Register, isWriter: boolean): Promise<void> => {
      while (!end.signal.aborted) await (isWriter ? recorder.write(register) : recorder.read(register))
    }
    const workers = registers.flatMap((register) => [true, false, false].map((isWriter) => work(register, isWriter)))
    const [faults] = await Promise.all([trouble(isEnough, seeded(11)), ...workers])
    const { history } = recorder
    const unknown = history.filter(({ revision }) => revision === undefined).length
    expect([faults > 10, unknown > 3, history.length > 500]).toEqual([true, true, true])
    expect(violationsOf(history)).toEqual([])

    const { Client } = await import('pg')
    const client = new Client(cluster.postgres.url)
    await client.connect()
    const { rows: kept } = await client.query<{ revision: string }>(
      `select h.revision from variable_history h join stages s on s.id = h.stage_id where s.slug = 'faults'`,
    )
    const revisions = new Set(kept.map(({ revision }) => Number(revision)))
    const acknowledged = history.filter(({ kind, revision }) => kind === 'write' && revision !== undefined)
    expect(acknowledged.filter(({ revision }) => !revisions.has(revision as number))).toEqual([])
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
  },
  5 * faultyMs + 60_000,
)
