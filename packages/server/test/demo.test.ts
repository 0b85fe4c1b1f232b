/** The demo: a filled organization, which leaves nothing behind. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import type { Response } from '@rollkey/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../testkit/app.ts'
import { TestClient } from '../testkit/client.ts'
import { temporaryFolder, useFolder } from '../testkit/folder.ts'
import { membersOf, Person } from '../testkit/person.ts'
import { runMain, spawnMain } from '../testkit/process.ts'

const dayMs = 24 * 3_600_000
const dataDir = useFolder()
let demo: Demo
let owner: Person
let client: TestClient

type RecentRevision = Response<'recentHistory'>['revisions'][number]

interface Demo {
  readonly child: ChildProcess
  readonly url: string
  readonly email: string
  readonly password: string
  output(): string
}

/** Starts a demo, and waits until it has printed how to sign in. */
async function startDemo(): Promise<Demo> {
  const child = await spawnMain({ PORT: '0', DATA_DIR: dataDir }, ['--demo'])
  let output = ''
  child.stderr?.on('data', (data: Buffer) => (output += data.toString()))
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      output += data.toString()
      const found = /Open (\S+) and sign in as (\S+) with the password (\S+)\n/.exec(output)
      const [, url = '', email = '', password = ''] = found ?? []
      if (found) resolve({ child, url, email, password, output: () => output })
    })
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}: ${output}`)))
  })
}

beforeAll(async () => {
  demo = await startDemo()
  owner = new Person(demo.url, demo.email)
  client = new TestClient(demo.url)
  await owner.must('/sign-in/email', { email: demo.email, password: demo.password })
})
/** It keeps nothing. What a killed one leaves, the next one deletes, as the tests of work folders show. */
afterAll(async () => {
  const folder = folderOf(demo.child)
  const ended = once(demo.child, 'exit')
  demo.child.kill('SIGINT')
  const [code] = (await ended) as [number | null]
  if (code !== 0 || existsSync(folder)) throw new Error(`the demo ended with ${code} and kept ${folder}`)
})

async function must(name: Parameters<TestClient['must']>[0], body: object = {}) {
  return client.must(name, { orgSlug: 'acme', ...body }, { token: await owner.token() })
}

/** Returns the folder of the demo's data, which its process has open. */
function folderOf({ pid }: ChildProcess): string {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return [] // closed in the meantime
    }
  })
  return path.dirname(links.find((link) => link.endsWith('/rollkey.db')) ?? '')
}

test('has members, projects, a month of changes by four people, and an audit log', async () => {
  expect((await membersOf(owner)).map(({ role }) => role).toSorted()).toEqual([
    'admin',
    'member',
    'member',
    'member',
    'owner',
  ])
  const { projects } = await must('projects')
  expect(projects.map(({ projectSlug }: { projectSlug: string }) => projectSlug)).toEqual(['mobile', 'reports', 'shop'])
  const { changes } = await must('history', { projectSlug: 'shop', stageSlug: 'prod' })
  const times = changes.map(({ writtenAtMs }: { writtenAtMs: number }) => writtenAtMs)
  expect(times[0] - times.at(-1)).toBeGreaterThan(20 * dayMs)
  expect(new Set(changes.map(({ writtenBy }: { writtenBy: string }) => writtenBy)).size).toBe(4)
  expect((await must('audit', { limit: 100 })).entries.length).toBeGreaterThan(20)
})

test('has what a person changed in several stages of a project as one save, at one time', async () => {
  const { revisions } = await must('recentHistory', { limit: 50 })
  for (const [name, stages] of [
    ['SENTRY_DSN', ['shop/dev', 'shop/staging']],
    ['ONBOARDING', ['mobile/dev', 'mobile/prod']],
  ] as const) {
    const saves = (revisions as RecentRevision[]).filter(({ changes }) => changes.some((each) => each.name === name))
    expect(saves.map(({ projectSlug, stageSlug }) => `${projectSlug}/${stageSlug}`).toSorted()).toEqual(stages)
    expect(new Set(saves.map(({ writtenAtMs }) => writtenAtMs)).size, name).toBe(1)
  }
})

test('has rolls that were served over the month', async () => {
  const place = { projectSlug: 'shop', stageSlug: 'prod', name: 'NEW_CHECKOUT' }
  const { hours } = await must('rollCounts', place)
  const dates = new Set(hours.map(({ fromMs }: { fromMs: number }) => Math.floor(fromMs / dayMs)))
  expect(dates.size).toBeGreaterThanOrEqual(29)
})

test('has a roll that the shop decided in its process', async () => {
  const { hours } = await must('rollCounts', { projectSlug: 'shop', stageSlug: 'prod', name: 'BUTTON_COLOR' })
  const reported = hours.map(
    ({ reported: { a, b } = { a: 0, b: 0 } }: { reported?: { a: number; b: number } }) => a + b,
  )
  const total = reported.reduce((sum: number, count: number) => sum + count, 0)
  expect(total).toBeGreaterThan(5_000)
  const { days } = await must('usage')
  expect(days.reduce((sum: number, day: { reported?: number }) => sum + (day.reported ?? 0), 0)).toBe(total)
})

test('has something for each page, and no false alarm', async () => {
  const prod = { projectSlug: 'shop', stageSlug: 'prod' }
  const { missing, misfits, expiringTokens } = await must('attention')
  const lacking = [{ ...prod, count: 1, names: ['SENTRY_DSN'] }]
  expect({ missing, misfits, expiring: expiringTokens.length }).toEqual({ missing: lacking, misfits: [], expiring: 1 })
  const { changes } = await must('changeList')
  expect(changes.filter(({ needsYou }: { needsYou: boolean }) => needsYou)).toHaveLength(2)
  // The service makes the first step of the rollout when it has started.
  const chance = async (): Promise<number> => {
    const { variables } = await must('list', prod)
    return variables.find(({ name }: { name: string }) => name === 'PHOTO_REVIEWS').chance
  }
  await expect.poll(chance).toBe(0.25)
  const { variables } = await must('list', prod)
  const unread = variables.filter((each: { lastEvaluatedDay?: string }) => !each.lastEvaluatedDay)
  expect(unread.map(({ name }: { name: string }) => name)).toEqual(['LEGACY_SHIPPING_KEY', 'PHOTO_REVIEWS'])
  expect((await must('groups')).groups).toMatchObject([{ name: 'On call' }])
  expect((await must('accessList', prod)).protectedStages).toEqual([prod])
  const used = { lastUsedAtMs: expect.any(Number) as number }
  expect((await must('trustList')).trusts).toMatchObject([used])
  const { declarations } = await must('declarationList', { projectSlug: 'shop' })
  expect(declarations).toContainEqual(expect.objectContaining({ name: 'SENTRY_DSN', required: 'production' }))
  expect((await must('hookList')).hooks).toMatchObject([{ name: 'Deploys' }])
  expect((await must('keyList')).keys).toMatchObject([used])
  const { days } = await must('usage')
  expect(new Set(days.map(({ evaluations }: { evaluations: number }) => evaluations)).size).toBeGreaterThan(10)
})

test('takes changes', async () => {
  const place = { projectSlug: 'shop', stageSlug: 'dev' }
  await must('write', { ...place, mode: 'upsert', entries: [{ name: 'NEW', kind: 'secret', value: 'here' }] })
  expect(await must('evaluate', { ...place, name: 'NEW' })).toMatchObject({ value: 'here' })
  // Production lacks it, and another test expects no warning.
  await must('write', { ...place, mode: 'upsert', entries: [], deletes: ['NEW'] })
})

test('says that it is a demo, which no other service does', async () => {
  expect(await client.must('webSettings', {})).toMatchObject({ isDemo: true })
  expect(demo.output()).toContain('This is a demo: its data is lost when it stops.')
  const { client: other } = await startTestApp()
  expect(await other.must('webSettings', {})).not.toHaveProperty('isDemo')
})

test.each([
  ['DATABASE_URL', 'postgres://rollkey@127.0.0.1:9/rollkey'],
  ['MASTER_KEY', Buffer.alloc(32).toString('base64')],
  ['SIGN_UP', 'open'],
])('is refused with ROLLKEY_%s', async (name, value) => {
  const { code, stderr } = await runMain({ [name]: value }, ['--demo'])
  expect([code, stderr]).toEqual([
    1,
    `ROLLKEY_${name} is set, but a demo keeps its data in memory and takes only ROLLKEY_HOST, ROLLKEY_PORT, ROLLKEY_PUBLIC_URL, ROLLKEY_DATA_DIR, ROLLKEY_TRUSTED_PROXIES, ROLLKEY_LOG_LEVEL: unset it, or start without --demo.\n`,
  ])
})

test('is refused where a data directory has a store, named or not', async () => {
  const folder = temporaryFolder()
  const data = path.join(folder, 'data')
  await (await startTestApp({}, { dataDir: data })).stop()
  for (const [settings, cwd] of [
    [{ DATA_DIR: data }, '/'],
    [{}, folder],
  ] as const) {
    const { code, stderr } = await runMain(settings, ['--demo'], { cwd })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('has a store, which a demo does not show: start without'),
    ])
  }
})

test('is refused beside a command', async () => {
  const { code, stderr } = await runMain({}, ['--demo', 'status'])
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--demo'")])
})

test('has no file in its data directory, and no master key in a file', () => {
  const folder = folderOf(demo.child)
  expect(folder).toMatch(/\/rollkey-demo-\d+\//)
  expect(readdirSync(folder)).toContain('rollkey.db')
  expect(readdirSync(folder)).not.toContain('master.key')
  expect(readdirSync(dataDir)).toEqual([])
})
