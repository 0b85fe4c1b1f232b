/** Replaces three processes over PostgreSQL, one by one and under load, by a version with one more migration (docs/upgrade.md). */
import path from 'node:path'
import { pause } from '../../testkit/pause.ts'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { createClient, type Fetch } from '../../../sdk/src/index.ts'
import { newestSchema } from '../../src/storage/migrate.ts'
import { startBalancer } from '../../testkit/balancer.ts'
import { newUser, TestClient } from '../../testkit/client.ts'
import { EventReader } from '../../testkit/events.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { freePort } from '../../testkit/free-port.ts'
import { isLong } from '../../testkit/long.ts'
import { newDatabase } from '../../testkit/postgres.ts'
import { runMain, startProcess, type ServerProcess, type Start } from '../../testkit/process.ts'
import { startProvider } from '../../testkit/provider.ts'

const nodes = 3
const writers = 4
const namesPerWriter = 10
const rounds = isLong ? 5 : 1
/** How many more writes are acknowledged before and after each replacement. */
const writesBetween = 50
const at = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }

const newer: Start = { nodeArgs: ['--import', path.resolve(import.meta.dirname, '../../testkit/newer-version.ts')] }

/** A write that the service acknowledged. */
interface AcknowledgedWrite {
  readonly name: string
  readonly value: string
  readonly revision: number
}

/** Evaluates and writes without a pause through clients of the SDK. */
class Load {
  readonly writes: AcknowledgedWrite[] = []
  /** Calls that failed in spite of their retries. */
  readonly failures: string[] = []
  evaluations = 0
  /** Evaluations that were sent, with those that were sent again. */
  sentEvaluations = 0
  readonly #running: Promise<void>[]
  #isOver = false

  constructor(url: string, token: string) {
    this.#running = Array.from({ length: writers }, (_, writer) => this.#run(url, token, writer))
  }

  async more(): Promise<void> {
    const enough = this.writes.length + writesBetween
    await vi.waitUntil(() => this.writes.length >= enough, { timeout: 120_000 })
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  readonly #fetch: Fetch = async (target, init) => {
    if (target.includes('/evaluate')) this.sentEvaluations++
    return fetch(target, init)
  }

  async #run(url: string, token: string, writer: number): Promise<void> {
    const { orgSlug: org, projectSlug: project, stageSlug: stage } = at
    const client = createClient({ url, org, project, stage, token, cache: false, fetch: this.#fetch })
    for (let i = 0; !this.#isOver; i++) {
      const name = `OF_${writer}_${i % namesPerWriter}`
      const value = String(i)
      try {
        const { revision } = await client.write({ entries: [{ kind: 'secret', name, value }] })
        this.writes.push({ name, value, revision })
        const found = await client.get(name)
        this.evaluations++
        if (found !== value) this.failures.push(`${name} is not ${value} after its write was acknowledged`)
      } catch (error) {
        this.failures.push((error as Error).message)
      }
      await pause(5)
    }
    client.close()
  }
}

/** Follows the events of the project, and opens the stream again where it ended. */
class Follower {
  readonly revisions: { readonly revision: number; readonly names: readonly string[] }[] = []
  /** Events that are not revisions: a `reset` would mean that the names of some changes are lost. */
  readonly others: string[] = []
  streams = 0
  #reader: EventReader | undefined
  #isOver = false

  async follow(url: string, token: string): Promise<void> {
    const { stageSlug: _, ...project } = at
    let cursor: string | undefined
    while (!this.#isOver) {
      try {
        const since = cursor === undefined ? {} : { since: cursor }
        this.#reader = await EventReader.open(url, { ...project, ...since }, token)
        if (this.#reader.response.ok) this.streams++
        for (let each = await this.#reader.next(); each; each = await this.#reader.next()) {
          cursor = each.id ?? cursor
          if (each.event === 'revision') this.revisions.push(each.data)
          else if (each.event !== undefined) this.others.push(each.event)
        }
      } catch {
        // The stream broke, or could not be opened.
      }
      await pause(100)
    }
  }

  end(): void {
    this.#isOver = true
    this.#reader?.close()
  }

  /** Returns the acknowledged writes that no event named. An event names what changed since the previous one. */
  missed(writes: readonly AcknowledgedWrite[]): AcknowledgedWrite[] {
    return writes.filter(
      (write) => !this.revisions.find(({ revision }) => revision >= write.revision)?.names.includes(write.name),
    )
  }
}

async function upgradeUnderLoad(): Promise<void> {
  const provider = await startProvider()
  const settings = {
    ...provider.settings,
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: await newDatabase(inject('postgresUrl')),
    RATE_LIMIT_REQUESTS: '0',
    RATE_LIMIT_EXPENSIVE: '0',
    RATE_LIMIT_IP: '0',
  }
  const ports = await Promise.all(Array.from({ length: nodes }, freePort))
  const old: ServerProcess[] = []
  for (const port of ports) old.push(await startProcess({ ...settings, PORT: String(port) }))
  const balancer = await startBalancer(ports)
  onTestFinished(() => balancer.close())
  const client = new TestClient(balancer.url, provider)
  const { accessToken: token } = await client.login(newUser(at.orgSlug))
  const first = { name: 'FIRST', kind: 'secret', value: '' }
  await client.must('write', { ...at, mode: 'upsert', entries: [first] }, { token })

  const follower = new Follower()
  const following = follower.follow(balancer.url, token)
  await expect.poll(() => follower.streams).toBe(1)
  const load = new Load(balancer.url, token)
  const present: ServerProcess[] = []
  for (const [index, node] of old.entries()) {
    await load.more()
    expect(await node.end('SIGTERM')).toBe(0)
    const port = String(ports[index])
    present.push(await startProcess({ ...settings, PORT: port }, newer))
    // A crashed node of the old version cannot come back from now on.
    if (index === 0) await expectRefusal({ ...settings, PORT: '0' })
  }
  await load.more()
  await load.end()

  const revision = Math.max(...load.writes.map((write) => write.revision))
  await expect.poll(() => follower.revisions.at(-1)?.revision).toBeGreaterThanOrEqual(revision)
  follower.end()
  await following
  expect(load.writes.length).toBeGreaterThan(50)
  expect(load.failures).toEqual([])
  expect(follower.missed(load.writes)).toEqual([])
  expect(follower.others).toEqual([])
  // A lost write would give its revision to another one.
  expect(new Set(load.writes.map((write) => write.revision)).size).toBe(load.writes.length)
  const { months } = await client.must('usage', { orgSlug: at.orgSlug, months: 1 }, { token })
  expect(months[0].evaluations).toBeGreaterThanOrEqual(load.evaluations)
  expect(months[0].evaluations).toBeLessThanOrEqual(load.sentEvaluations)
  const { variables } = await client.must('pull', at, { token })
  expect(variables).toEqual({
    FIRST: '',
    ...Object.fromEntries(load.writes.map(({ name, value }) => [name, value])),
  })
  for (const node of [...old, ...present]) expect(node.output()).not.toMatch(/"level":"(error|fatal)"/)
  for (const node of present) expect(await node.end('SIGTERM')).toBe(0)
}

async function expectRefusal(settings: Record<string, string>): Promise<void> {
  const { code, stderr } = await runMain(settings)
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`schema version ${newestSchema() + 1} (expected at most ${newestSchema()})`),
  ])
}

test('replacing each node by a newer version under load fails no request and loses no acknowledged write or event', async () => {
  expect.hasAssertions()
  for (let round = 0; round < rounds; round++) await upgradeUnderLoad()
})
