/** Changes at their times on three nodes that are killed again and again: each is applied once, and not before. */
import { rmSync } from 'node:fs'
import { pause } from '../../testkit/pause.ts'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestClient } from '../../testkit/client.ts'
import { roll, secret } from '../../testkit/entries.ts'
import { faultId, faults } from '../../testkit/faults.ts'
import { newFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { startPostgres, type TestPostgres } from '../../testkit/postgres.ts'
import { spawnServer, type ServerProcess } from '../../testkit/process.ts'
import { TestProvider } from '../../testkit/provider.ts'
import { newTenant, write, type TestTenant } from '../../testkit/test-env.ts'
import { seeded } from '../../testkit/random.ts'
import { unitOf } from '../../src/evaluation/bucket.ts'
import { startCluster } from './cluster.ts'

const kills = isLong ? 200 : 5
const killsOfRotations = isLong ? 20 : 2
const nodeCount = 3

let postgres: TestPostgres
let database: Client
const provider = new TestProvider()
const dataDir = newFolder()

beforeAll(async () => {
  postgres = await startPostgres()
  await provider.start()
  database = new Client(postgres.url)
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await provider.close()
  await postgres.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Nodes of one service, as processes. */
class Nodes {
  readonly servers: (ServerProcess | undefined)[] = []
  readonly #starts = new Set<Promise<void>>()

  async start(index: number, fault?: string): Promise<void> {
    const settings = { ...provider.settings, DATA_DIR: dataDir, DATABASE_URL: postgres.url, RATE_LIMIT_IP: '0' }
    const limits = { RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_EXPENSIVE: '0' }
    this.servers[index] = await spawnServer({ ...settings, ...limits }, fault === undefined ? {} : { faultId: fault })
  }

  get running(): ServerProcess[] {
    return this.servers.filter((server) => server !== undefined)
  }

  get client(): TestClient {
    return new TestClient(
      this.running.map(({ url }) => url),
      provider,
    )
  }

  /** Kills a node once all of them run, and begins to start it again. */
  async killOne(random: () => number): Promise<void> {
    while (this.running.length < nodeCount) await pause(20)
    const server = this.running[Math.floor(random() * this.running.length)] as ServerProcess
    const index = this.servers.indexOf(server)
    this.servers[index] = undefined
    await server.end('SIGKILL')
    const started = this.start(index).finally(() => this.#starts.delete(started))
    this.#starts.add(started)
  }

  async end(): Promise<void> {
    await Promise.all(this.#starts)
    await Promise.all(this.running.map((server) => server.end('SIGKILL')))
  }
}

async function rowsOf<Row>(text: string, ...params: unknown[]): Promise<Row[]> {
  return (await database.query(text, params)).rows as Row[]
}

/** Sends a proposal until a node has stored it. Its reason tells whether one did whose answer was lost. */
async function propose(nodes: Nodes, { at, token }: TestTenant, reason: string, content: object): Promise<void> {
  for (;;) {
    const known = await rowsOf('select id from changes where project_slug = $1 and reason = $2', at.projectSlug, reason)
    if (known.length > 0) return
    const answer = await nodes.client
      .call('changePropose', { ...at, reason, ...content }, { token })
      .catch(() => undefined)
    if (answer && answer.status !== 200 && answer.status !== 503) throw new Error(answer.text)
  }
}

interface Change {
  readonly reason: string
  readonly state: string
  readonly problem: string | null
  readonly lateMs: number
}

/** Waits until nothing more happens to the changes of a tenant, and returns them. */
async function ended({ at }: TestTenant): Promise<Change[]> {
  const left = `select id from changes where project_slug = $1 and state not in ('applied', 'failed')`
  await expect.poll(() => rowsOf(left, at.projectSlug)).toEqual([])
  const all = await rowsOf<Omit<Change, 'lateMs'> & Record<'apply_at_ms' | 'settled_at_ms' | 'content', string>>(
    'select reason, state, problem, apply_at_ms, settled_at_ms, content from changes where project_slug = $1',
    at.projectSlug,
  )
  return all.map(({ reason, state, problem, apply_at_ms, settled_at_ms, content }) => {
    const { steps } = JSON.parse(content) as { steps?: { atMs: number }[] }
    return { reason, state, problem, lateMs: Number(settled_at_ms) - (steps?.at(-1)?.atMs ?? Number(apply_at_ms)) }
  })
}

/** Expects each change to be applied once, not before its time, and each ramp to have climbed without a repeated step. */
async function expectOnce(tenant: TestTenant, names: readonly string[], ramps: readonly string[]): Promise<void> {
  const all = await ended(tenant)
  const [applied, failed] = ['applied', 'failed'].map((state) => all.filter((change) => change.state === state))
  expect(applied?.map(({ reason }) => reason).toSorted()).toEqual([...names, ...ramps].toSorted())
  // A killed node may still have stored a proposal that was sent again: the second one conflicts with the first.
  expect(failed?.filter(({ problem }) => !/^"[^"]+" changed in revision \d+,/.test(problem ?? ''))).toEqual([])
  const { projectSlug } = tenant.at
  const ofProject = `from variable_history h join stages s on s.id = h.stage_id join projects p on p.id = s.project_id
    where p.slug = $1`
  const written = await rowsOf<{ name: string; facets: string }>(
    `select h.name, h.facets ${ofProject} order by h.revision`,
    projectSlug,
  )
  const byName = Map.groupBy(written, ({ name }) => name)
  expect(names.filter((name) => byName.get(name)?.length !== 1)).toEqual([])
  for (const name of ramps) {
    const chances = byName.get(name)?.map(({ facets }) => (JSON.parse(facets) as { chance: number }).chance) ?? []
    expect(chances).toEqual([...new Set(chances)].toSorted((a, b) => a - b))
    expect(chances.at(-1)).toBe(1)
  }
  const audited = `select subject from audit where action = 'change.apply' and project_slug = $1`
  const subjects = (await rowsOf<{ subject: string }>(audited, projectSlug)).map(({ subject }) => subject)
  expect(subjects).toHaveLength(names.length + ramps.length)
  expect(new Set(subjects).size).toBe(subjects.length)
  expect(applied?.filter(({ lateMs }) => lateMs < 0)).toEqual([])
}

async function tenantOf(client: TestClient, projectSlug: string): Promise<TestTenant> {
  const tenant = await newTenant({ client })
  return { ...tenant, at: { ...tenant.at, projectSlug } }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await expect.poll(isSo).toBe(true)
}

/** Rotations of one secret, one after the other, and what readers see of them. */
class Rotations {
  /** Values that a reader may get, since the last move that was asked for or answered. */
  readonly #phases: (readonly string[])[] = [['v0']]
  readonly #nodes: Nodes
  readonly #tenant: TestTenant
  readonly wrong: string[] = []
  readonly seen = { old: 0, new: 0, back: 0 }
  #count = 0

  constructor(nodes: Nodes, tenant: TestTenant) {
    this.#nodes = nodes
    this.#tenant = tenant
  }

  /** Reads the secret on any node until the end. */
  async read(signal: AbortSignal): Promise<void> {
    const { at, token } = this.#tenant
    while (!signal.aborted) {
      const from = this.#phases.length - 1
      const answer = await this.#nodes.client.call('evaluate', { ...at, name: 'KEY' }, { token }).catch(() => undefined)
      if (answer?.status !== 200) {
        if (answer && answer.status !== 503) this.wrong.push(answer.text)
        await pause(5)
        continue
      }
      const { value } = answer.body as { value: string }
      const phases = this.#phases.slice(from)
      if (!phases.flat().includes(value)) this.wrong.push(`${value} in ${JSON.stringify(phases)}`)
      const [[old, next] = []] = phases
      if (phases.length === 1 && next !== undefined) this.seen[value === old ? 'old' : 'new']++
    }
  }

  /** Rotates the secret in steps, or goes back when the second one is written. */
  async rotate(goesBack: boolean): Promise<void> {
    const old = this.#phases.at(-1)?.[0] ?? ''
    const [name, next] = ['KEY', `v${++this.#count}`]
    this.#phases.push([old, next])
    const startMs = Date.now() + 300
    const steps = [0.2, 0.5, 1].map((chance, index) => ({ atMs: startMs + index * (goesBack ? 3_000 : 700), chance }))
    await propose(this.#nodes, this.#tenant, next, { ramp: { name, value: next, steps } })
    const rows = () =>
      rowsOf<{ id: string; state: string }>('select id, state from changes where reason = $1 order by state', next)
    const states = async () => (await rows()).map(({ state }) => state)
    if (goesBack) {
      await until(async () => (await states()).includes('running'))
      const { id } = (await rows()).find(({ state }) => state === 'running') ?? { id: '' }
      const { at, token } = this.#tenant
      while ((await states()).includes('running')) {
        const answer = await this.#nodes.client
          .call('changeAbort', { ...at, id, chance: 0 }, { token })
          .catch(() => undefined)
        // From the next request on, every node has the old value.
        if (answer?.status === 200) this.#phases.push([old])
      }
      this.seen.back++
    }
    // A proposal that was sent twice fails, because the first one has changed its variable.
    await until(async () => (await states()).every((state) => /^(applied|aborted|failed)$/.test(state)))
    this.#phases.push([(await states()).includes('applied') ? next : old])
  }
}

describe('three nodes that are killed', () => {
  const nodes = new Nodes()

  beforeAll(async () => {
    await nodes.start(0)
    await Promise.all(Array.from({ length: nodeCount - 1 }, (_, index) => nodes.start(index + 1)))
  })
  afterAll(() => nodes.end())

  test(`apply each change once in ${kills} kills`, async () => {
    const random = seeded(22)
    const tenant = await tenantOf(nodes.client, 'random')
    const rolls = Array.from({ length: Math.ceil(kills / 3) }, (_, index) => `R${index}`)
    await write(
      nodes,
      tenant,
      rolls.map((name) => roll(name, 0)),
    )
    const names: string[] = []
    const ramps: string[] = []
    const killing = new AbortController()
    const proposing = (async () => {
      while (!killing.signal.aborted) {
        const dueMs = Date.now() + 1_500
        for (let each = 0; each < 3; each++) {
          const name = `V${names.length}`
          names.push(name)
          const applyAtMs = dueMs + Math.floor(random() * 1_000)
          await propose(nodes, tenant, name, { entries: [secret(name, '1')], applyAtMs })
        }
        const name = rolls[ramps.length]
        if (name !== undefined) {
          ramps.push(name)
          const steps = [0.1, 0.2, 0.5, 1].map((chance, index) => ({ atMs: dueMs + index * 400, chance }))
          await propose(nodes, tenant, name, { ramp: { name, steps } })
        }
        await pause(random() * 600)
      }
    })()
    for (let kill = 0; kill < kills; kill++) {
      await nodes.killOne(random)
      await pause(random() * 800)
    }
    killing.abort()
    await proposing
    await expectOnce(tenant, names, ramps)
  })

  test(`serve nothing but the old and the new value of a rotation in ${killsOfRotations} kills`, async () => {
    const random = seeded(63)
    const tenant = await tenantOf(nodes.client, 'rotated')
    await write(nodes, tenant, [secret('KEY', 'v0')])
    const ending = new AbortController()
    const rotations = new Rotations(nodes, tenant)
    const reading = [1, 2, 3].map(() => rotations.read(ending.signal))
    const rotating = (async () => {
      for (let goesBack = false; !ending.signal.aborted; goesBack = !goesBack) await rotations.rotate(goesBack)
    })()
    for (let kill = 0; kill < killsOfRotations; kill++) {
      await nodes.killOne(random)
      await pause(random() * 800)
    }
    await until(() => Promise.resolve(Math.min(...Object.values(rotations.seen)) > 0))
    ending.abort()
    await Promise.all([rotating, ...reading])
    expect(rotations.wrong).toEqual([])
  })
})

describe('three nodes', () => {
  test.runIf(isLong)('apply what a node leaves that is killed at any step of a change', async () => {
    const points = await pointsOfChange()
    expect(points.length).toBeGreaterThan(15)
    const nodes = new Nodes()
    await nodes.start(0)
    await nodes.start(1)
    try {
      for (const [round, point] of points.entries()) {
        await nodes.start(2, faultId('kill', point))
        const victim = nodes.servers[2] as ServerProcess
        const client = new TestClient((nodes.servers[0] as ServerProcess).url, provider)
        const tenant = await tenantOf(client, `step-${round}`)
        await write({ client }, tenant, [roll('R', 0)])
        const names: string[] = []
        nodes.servers[2] = undefined
        // Other nodes may be the first to take a change, so there is one after the other until this node has.
        while (victim.child.signalCode === null) {
          const name = `V${names.length}`
          names.push(name)
          await propose(nodes, tenant, name, { entries: [secret(name, '1')], applyAtMs: Date.now() + 700 })
          await pause(150)
        }
        expect(victim.child.signalCode).toBe('SIGKILL')
        await expectOnce(tenant, names, [])
      }
    } finally {
      await nodes.end()
    }
  })
})

/** Returns the points between the statements with which a node applies a change. */
async function pointsOfChange(): Promise<string[]> {
  const cluster = await startCluster(1)
  const met: string[] = []
  try {
    const [{ app }] = cluster.nodes as [(typeof cluster.nodes)[0]]
    const { at, token } = await newTenant(app)
    await write(app, { at, token } as TestTenant, [secret('A', '1')])
    let isLeased = false
    faults.everywhere = {
      meet(point) {
        isLeased ||= point.startsWith('before update changes set leased_until_ms')
        if (isLeased) met.push(point)
        return undefined
      },
    }
    const content = { entries: [secret('A', '2')], applyAtMs: Date.now() }
    const { id } = await app.client.must('changePropose', { ...at, reason: 'why', ...content }, { token })
    const state = async () => (await app.client.must('changeShow', { ...at, id }, { token })).state as string
    await expect.poll(state).toBe('applied')
  } finally {
    faults.everywhere = undefined
    await cluster.close()
  }
  // Other work of a process passes the rest of the points too.
  const isOfChange = (point: string): boolean => !/ (?:begin|commit|rollback|select)/.test(point)
  return [...new Set(met.filter(isOfChange))]
}

describe('a ramp that is paused or aborted on another node at the time of its step', () => {
  /** With two more, fewer than one person may propose. */
  const rounds = isLong ? 40 : 8

  test('writes no chance after the answer', async () => {
    const cluster = await startCluster(nodeCount)
    try {
      const [first, second, third] = cluster.nodes.map(({ app }) => app.client) as [TestClient, TestClient, TestClient]
      const tenant = await newTenant({ client: first })
      const { at, token } = tenant
      const names = Array.from({ length: rounds }, (_, index) => `R${index}`)
      const all = [...names, 'UNSTOPPED']
      await write(
        { client: first },
        tenant,
        all.map((name) => roll(name, 0)),
      )
      const chances = async (client: TestClient): Promise<Record<string, number>> => {
        const { variables } = await client.must('list', at, { token })
        return Object.fromEntries(variables.map((each: { name: string; chance: number }) => [each.name, each.chance]))
      }
      const startMs = Date.now() + 2_500
      // The last step is so late that each ramp is stopped before.
      const steps = [0.1, 0.2, 0.3].map((chance, index) => ({ atMs: startMs + index * 600, chance }))
      steps.push({ atMs: startMs + 3_600_000, chance: 1 })
      const ids = new Map<string, string>()
      for (const name of all) {
        const { id } = await first.must('changePropose', { ...at, reason: 'why', ramp: { name, steps } }, { token })
        ids.set(name, id)
      }
      const stopped = await Promise.all(
        names.map(async (name, index) => {
          await pause(startMs + 600 - Date.now() + (index % 40) * 2)
          const [id, isAbort] = [ids.get(name), index % 2 === 1]
          const [move, more] = isAbort ? (['changeAbort', { chance: 0.05 }] as const) : (['changePause', {}] as const)
          const stop = () => second.call(move, { ...at, id, ...more }, { token })
          let { status } = await stop()
          // On a busy machine the ramp may not have begun.
          while (status === 409) {
            await pause(20)
            ;({ status } = await stop())
          }
          return { name, status, chance: (await chances(third))[name], isAbort }
        }),
      )
      // The steps of all ramps have the same times, and changes that are due are applied in their order.
      await expect.poll(async () => (await chances(first))['UNSTOPPED']).toBe(0.3)
      const content = { entries: [secret('LATER', '1')], applyAtMs: Date.now() }
      const { id: later } = await first.must('changePropose', { ...at, reason: 'why', ...content }, { token })
      const isApplied = async () => (await first.must('changeShow', { ...at, id: later }, { token })).state as string
      await expect.poll(isApplied).toBe('applied')
      const last = await chances(first)
      const wrong = stopped.filter(
        ({ name, status, chance = 1, isAbort }) =>
          status !== 200 || chance !== last[name] || (isAbort ? chance !== 0.05 : chance === 1),
      )
      expect(wrong).toEqual([])
    } finally {
      await cluster.close()
    }
  })
})

describe('a rotation on three nodes', () => {
  test('has the share of its step on each of them, and goes back with the answer of one', async () => {
    const cluster = await startCluster(nodeCount)
    try {
      const clients = cluster.nodes.map(({ app }) => app.client) as [TestClient, TestClient, TestClient]
      const tenant = await newTenant({ client: clients[0] })
      const { at, token } = tenant
      await write({ client: clients[0] }, tenant, [secret('KEY', 'old')])
      const startMs = cluster.nodes[0]?.clock.now() ?? 0
      for (const { clock } of cluster.nodes) clock.freezeAt(startMs)
      const steps = [0.1, 0.5, 0.9, 1].map((chance, index) => ({ atMs: startMs + 1 + index, chance }))
      const content = { reason: 'why', ramp: { name: 'KEY', value: 'new', steps } }
      const { id } = await clients[0].must('changePropose', { ...at, ...content }, { token })
      const entries = Array.from({ length: 50 }, (_, seed) => ({ name: 'KEY', seed: `s${seed}` }))
      const servedBy = async (client: TestClient): Promise<string[]> => {
        const { results } = await client.must('evaluateBatch', { ...at, entries }, { token })
        return results.map(({ value }: { value: string }) => value)
      }
      const served = () => Promise.all(clients.map(servedBy))
      const valuesAt = (chance: number): string[] =>
        entries.map(({ name, seed }) => (unitOf(name, seed, '') < chance ? 'new' : 'old'))
      expect(await served()).toEqual(clients.map(() => valuesAt(0)))
      for (const { atMs, chance } of steps.slice(0, 3)) {
        for (const { clock } of cluster.nodes) clock.freezeAt(atMs)
        await expect.poll(served).toEqual(clients.map(() => valuesAt(chance)))
      }
      await clients[1].must('changeAbort', { ...at, id, chance: 0 }, { token })
      expect(await served()).toEqual(clients.map(() => valuesAt(0)))
    } finally {
      await cluster.close()
    }
  })
})
