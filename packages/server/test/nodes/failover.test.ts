/** A database address that leads to a standby for a moment, and then to a primary again. The nodes are whole once it does. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { openStore } from '../../src/compose/store.ts'
import { readConfig, type Config } from '../../src/config.ts'
import { examineDeployment } from '../../src/doctor/deployment.ts'
import type { CheckResult } from '../../src/doctor/report.ts'
import { DatabaseWatch } from '../../src/storage/database-watch.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { newUser, type TokenPair } from '../../testkit/client.ts'
import { TestClock } from '../../testkit/clock.ts'
import { secret } from '../../testkit/entries.ts'
import { isLong } from '../../testkit/long.ts'
import { pause } from '../../testkit/pause.ts'
import { startTcpProxy } from '../../testkit/tcp-proxy.ts'
import { startPostgres, withTimeLimit, type TestPostgres } from '../../testkit/postgres.ts'
import { startCluster, type Cluster, type ClusterNode } from './cluster.ts'

const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'live' }
const replaced = 'the database was started again or is another one: this node reads everything from it again'
const sentence = 'is a standby, which accepts only reads: let the address lead to the primary, or promote this server'

const limitMs = 1_000
/** How long the address leads to a standby in the drill. */
const lieMs = 3_000
const patience = { interval: 20, timeout: 120_000 }

let primary: TestPostgres
let standby: TestPostgres
let cluster: Cluster
let pair: TokenPair

beforeAll(async () => {
  primary = await startPostgres()
  // A node with the time limits of production, and one whose limits nothing reaches.
  cluster = await startCluster(2, [withTimeLimit(primary.url, limitMs), primary.url])
  pair = await (cluster.nodes[1] as ClusterNode).app.client.login(newUser())
  await addStandby()
})
afterAll(async () => {
  await cluster.close()
  await Promise.all([primary.close(), standby.close()])
})

async function query<Row extends object>(server: TestPostgres, text: string): Promise<Row[]> {
  const client = new Client(server.url)
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

/** Starts a standby of the primary, for which each commit waits. */
async function addStandby(): Promise<void> {
  standby = await primary.startStandby()
  const hasOne = async (state: string): Promise<boolean> =>
    (await query(primary, `select 1 from pg_stat_replication where ${state}`)).length === 1
  await vi.waitUntil(() => hasOne("state = 'streaming'"), patience)
  await query(primary, "alter system set synchronous_standby_names = '*'")
  await query(primary, 'select pg_reload_conf()')
  await vi.waitUntil(() => hasOne("sync_state = 'sync'"), patience)
}

/** Makes the standby the primary, while the former one is gone. Every test begins with a standby: add one afterwards. */
async function failOver(): Promise<void> {
  await primary.kill()
  await query(standby, 'alter system reset synchronous_standby_names')
  await query(standby, 'select pg_reload_conf()')
  await query(standby, 'select pg_promote()')
  await primary.close()
  primary = standby
}

/** Lets the address of every node lead to a server. */
function leadTo({ port }: TestPostgres): void {
  for (const { way } of cluster.nodes) way.targetPort = port
}

/** Ends the connections of every node, as a failover does. */
function cut(): void {
  for (const { way } of cluster.nodes) way.cut()
}

async function statusOf({ app }: ClusterNode, path: string): Promise<number> {
  return (await fetch(app.url + path)).status
}

async function write({ app: { client } }: ClusterNode, value: string): Promise<unknown> {
  const body = { ...at, mode: 'upsert', entries: [secret('A', value)] }
  const { status, body: answer } = await client.call('write', body, { token: pair.accessToken })
  return status === 200 ? 200 : [status, answer.error.code]
}

/** Evaluates under a key, so that it counts once however many times it is sent. */
async function evaluate({ app: { client } }: ClusterNode, requestKey: string): Promise<unknown> {
  const headers = { 'x-service-request-key': requestKey }
  const { status, body } = await client.call('evaluate', { ...at, name: 'A' }, { token: pair.accessToken, headers })
  return status === 200 ? 200 : [status, body.error.code]
}

/** Adds up what is in the tables and what nodes have counted since. */
async function evaluationsIn(server: TestPostgres): Promise<number> {
  const [row] = await query<{ used: string }>(
    server,
    `select sum(u.evaluations) as used from stages s
       join (select stage_id, evaluations from usage_days union all select stage_id, evaluations from node_usage) u on u.stage_id = s.id
     where s.slug = 'live'`,
  )
  return Number(row?.used)
}

/** Returns a function that returns the messages that the node has logged since. */
function messagesFromNow({ app: { log } }: ClusterNode): () => string[] {
  const before = log.length
  return () => log.slice(before).map((line) => (JSON.parse(line) as { msg: string }).msg)
}

test('nodes refuse while their address leads to a standby, say so, and serve by themselves when it leads to a primary', async () => {
  const messages = new Map(cluster.nodes.map((node) => [node, messagesFromNow(node)]))
  const before = await evaluationsIn(primary)
  for (const [index, node] of cluster.nodes.entries()) {
    await expect.poll(() => write(node, 'first')).toBe(200)
    await expect.poll(() => evaluate(node, `before-${index}`)).toBe(200)
  }
  leadTo(standby)
  cut()
  for (const [index, node] of cluster.nodes.entries()) {
    for (let i = 0; i < 5; i++) {
      expect(await write(node, 'lost')).toEqual([503, 'BILLING_UNAVAILABLE'])
      expect(await evaluate(node, `during-${index}`)).toEqual([503, 'BILLING_UNAVAILABLE'])
    }
    await expect.poll(() => statusOf(node, '/readyz')).toBe(503)
    expect(messages.get(node)?.()).toContain(`the database ${sentence}`)
  }
  // No connection is cut here: none to the standby was kept.
  leadTo(primary)
  for (const [index, node] of cluster.nodes.entries()) {
    await expect.poll(() => statusOf(node, '/readyz')).toBe(200)
    await expect.poll(() => write(node, 'second')).toBe(200)
    await expect.poll(() => evaluate(node, `after-${index}`)).toBe(200)
    expect(messages.get(node)?.()).toContain('the database accepts connections again')
  }
  expect((await evaluationsIn(primary)) - before).toBe(2 * cluster.nodes.length)
})

function configOf(url: string): Config {
  return readConfig({ ROLLKEY_DATABASE_URL: url, ROLLKEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') })
}

test('a start on a standby and doctor say in a sentence what to do', async () => {
  const config = configOf(standby.url)
  const clock = new TestClock()
  const whole = `The database of ROLLKEY_DATABASE_URL ${sentence}.`
  await expect(openStore(config, clock, createLog('silent'))).rejects.toThrow(whole)
  const openKeyring = () => Promise.reject(new Error('there is no store'))
  const findings: CheckResult[] = []
  const openReplica = () => undefined
  for await (const finding of examineDeployment({
    config,
    clock,
    publicUrl: 'http://localhost:8787',
    openKeyring,
    openReplica,
  }))
    findings.push(finding)
  expect(findings).toContainEqual(expect.objectContaining({ check: 'store', result: 'fail', found: whole }))
})

test('nodes are not ready while commits wait for a standby that is gone, and do not start', async () => {
  const [node] = cluster.nodes as [ClusterNode]
  await standby.kill()
  await expect.poll(() => statusOf(node, '/readyz')).toBe(503)
  const config = configOf(withTimeLimit(primary.url, limitMs))
  await expect(openStore(config, new TestClock(), createLog('silent'))).rejects.toThrow(
    'The database of ROLLKEY_DATABASE_URL does not answer in time: look for what it waits for, such as a synchronous standby that is gone',
  )
  await standby.start()
  await expect.poll(() => statusOf(node, '/readyz')).toBe(200)
})

test('nodes go on with the standby that was promoted, with everything that was acknowledged', async () => {
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode]
  await expect.poll(() => write(a, 'before the failover')).toBe(200)
  await failOver()
  leadTo(primary)
  cut()
  const { client } = b.app
  const valueOn = async (): Promise<unknown> =>
    (await client.call('pull', at, { token: pair.accessToken })).body.variables?.A
  await expect.poll(valueOn).toBe('before the failover')
  await expect.poll(() => write(a, 'after the failover')).toBe(200)
  expect(await valueOn()).toBe('after the failover')
  await addStandby()
})

/** Lets commits of the primary wait for no standby, and resolves when the standby has all of them. */
async function followNoMore(): Promise<void> {
  await query(primary, 'alter system reset synchronous_standby_names')
  await query(primary, 'select pg_reload_conf()')
  const [row] = await query<{ lsn: string }>(primary, 'select pg_current_wal_lsn() as lsn')
  const hasAll = `select pg_last_wal_replay_lsn() >= '${row?.lsn}' as has_all`
  await vi.waitUntil(async () => (await query<{ has_all: boolean }>(standby, hasAll))[0]?.has_all, patience)
}

test('nodes serve what the server has that their address leads to, while a former primary takes writes too', async () => {
  const [a, b] = cluster.nodes as [ClusterNode, ClusterNode]
  // A node that writes has noticed what was before.
  for (const node of cluster.nodes) await expect.poll(() => write(node, 'on both')).toBe(200)
  const messages = new Map(cluster.nodes.map((node) => [node, messagesFromNow(node)]))
  await followNoMore()
  const former = primary
  await query(standby, 'select pg_promote()')
  await expect.poll(() => write(a, 'on the former')).toBe(200)
  const seen: unknown[] = []
  const valueOn = async ({ app: { client } }: ClusterNode): Promise<unknown> => {
    const value = (await client.call('pull', at, { token: pair.accessToken })).body.variables?.A
    seen.push(value)
    return value
  }
  for (const node of cluster.nodes) await expect.poll(() => valueOn(node)).toBe('on the former')
  leadTo(standby)
  cut()
  // Both servers give the same revision to what they have.
  seen.length = 0
  await expect.poll(() => write(b, 'on the present')).toBe(200)
  for (const node of cluster.nodes) await expect.poll(() => valueOn(node)).toBe('on the present')
  expect(seen).not.toContain('on the former')
  for (const [server, value] of [
    [former, 'on the former'],
    [standby, 'on the present'],
  ] as const) {
    leadTo(server)
    cut()
    for (const node of cluster.nodes) await expect.poll(() => valueOn(node)).toBe(value)
  }
  for (const node of cluster.nodes) {
    await expect.poll(() => statusOf(node, '/readyz')).toBe(200)
    const noticed = messages
      .get(node)?.()
      .filter((message) => message === replaced)
    expect(noticed?.length).toBe(3)
  }
  await former.close()
  primary = standby
  await addStandby()
})

test('one new connection to another server is enough for all, of every pool', async () => {
  await followNoMore()
  const former = primary
  await query(standby, 'select pg_promote()')
  const way = await startTcpProxy(former.port)
  const url = new URL(former.url)
  url.port = String(way.port)
  const log = createLog('silent')
  const watch = new DatabaseWatch({ clock: new TestClock(), log })
  const pools = [await openPostgres(url.href, 2, watch), await openPostgres(url.href, 2, watch)] as const
  const portOf = async (sql: Pick<Sql, 'all'>): Promise<number | undefined> =>
    (await sql.all<{ port: number }>("select cast(current_setting('port') as int) as port"))[0]?.port
  await pools[0].tx((tx) =>
    pools[1].tx(async (other) => {
      for (const held of [tx, other]) expect(await portOf(held)).toBe(former.port)
      way.targetPort = standby.port
      expect(await portOf(pools[0])).toBe(standby.port)
      for (const held of [tx, other]) expect(await portOf(held)).toBe(former.port)
    }),
  )
  for (const sql of pools) for (let i = 0; i < 4; i++) expect(await portOf(sql)).toBe(standby.port)
  await Promise.all(pools.map((sql) => sql.close()))
  way.close()
  await former.close()
  primary = standby
  leadTo(primary)
  cut()
  await addStandby()
})

/** Writes and evaluates on every node while the work runs. Returns what was answered. */
async function underLoad(work: () => Promise<void>): Promise<{ acknowledged: number[]; evaluated: number }> {
  const [end, giveUp] = [new AbortController(), new AbortController()]
  /** Revisions of acknowledged writes. */
  const acknowledged: number[] = []
  let evaluated = 0
  const writer = async ({ app: { client } }: ClusterNode, name: string): Promise<void> => {
    for (let i = 0; !end.signal.aborted; i++) {
      const body = { ...at, mode: 'upsert', entries: [secret(name, String(i))] }
      const { status, body: answer } = await client.call('write', body, { token: pair.accessToken })
      if (status === 200) acknowledged.push(answer.revision as number)
    }
  }
  const reader = async (node: ClusterNode, name: string): Promise<void> => {
    while (!end.signal.aborted) {
      const key = `${name}-${evaluated++}`
      // A client sends the same key until it knows.
      while ((await evaluate(node, key)) !== 200 && !giveUp.signal.aborted) await pause(10)
    }
  }
  const workers = cluster.nodes.flatMap((node, index) => [
    writer(node, `W${index}`),
    ...[0, 1].map((each) => reader(node, `load-${index}-${each}`)),
  ])
  await work()
    .catch((error: unknown) => {
      giveUp.abort()
      throw error
    })
    .finally(() => end.abort())
  await Promise.all(workers)
  return { acknowledged, evaluated }
}

/** Waits until every node serves. Returns the milliseconds that the slowest one took. */
async function untilServing(): Promise<number> {
  const startedAt = performance.now()
  for (const node of cluster.nodes) {
    await expect.poll(() => write(node, 'again')).toBe(200)
    await expect.poll(() => statusOf(node, '/readyz')).toBe(200)
  }
  return performance.now() - startedAt
}

test.runIf(isLong)(
  'ten failovers and ten lies of the address under load lose nothing acknowledged, count each evaluation once, and need no restart',
  async ({ annotate }) => {
    const before = await evaluationsIn(primary)
    let slowestMs = 0
    const { acknowledged, evaluated } = await underLoad(async () => {
      for (let round = 0; round < 10; round++) {
        leadTo(standby)
        cut()
        await pause(lieMs)
        leadTo(primary)
        slowestMs = Math.max(slowestMs, await untilServing())
        leadTo(standby)
        await failOver()
        slowestMs = Math.max(slowestMs, await untilServing())
        await addStandby()
      }
    })
    await annotate(`the slowest node served ${Math.round(slowestMs)} ms after the database did`)
    const kept = await query<{ revision: string }>(
      primary,
      `select h.revision from variable_history h join stages s on s.id = h.stage_id where s.slug = 'live'`,
    )
    const revisions = new Set(kept.map(({ revision }) => Number(revision)))
    expect(acknowledged.filter((revision) => !revisions.has(revision))).toEqual([])
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
    expect((await evaluationsIn(primary)) - before).toBe(evaluated)
  },
)
