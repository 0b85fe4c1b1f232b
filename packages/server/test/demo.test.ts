/** The demo: a filled organization, which leaves nothing behind. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../testkit/app.ts'
import { TestClient } from '../testkit/client.ts'
import { temporaryFolder, useFolder } from '../testkit/folder.ts'
import { membersOf, Person } from '../testkit/person.ts'
import { runMain, spawnMain } from '../testkit/process.ts'

const dayMs = 24 * 3_600_000
const dataDir = useFolder()
let child: ChildProcess
let output = ''
let url = ''
let owner: Person
let client: TestClient

beforeAll(async () => {
  child = await spawnMain({ PORT: '0', DATA_DIR: dataDir }, ['--demo'])
  child.stderr?.on('data', (data: Buffer) => (output += data.toString()))
  const printed = new Promise<RegExpExecArray>((resolve, reject) => {
    child.stdout?.on('data', (data: Buffer) => {
      output += data.toString()
      const found = /Open (\S+) and sign in as (\S+) with the password (\S+)\n/.exec(output)
      if (found) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}: ${output}`)))
  })
  const [, address = '', email = '', password = ''] = await printed
  url = address
  owner = new Person(url, email)
  client = new TestClient(url)
  await owner.must('/sign-in/email', { email, password })
}, 120_000)
afterAll(() => child.kill('SIGKILL'))

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

test('has members, projects, a month of changes by three people, and an audit log', async () => {
  expect((await membersOf(owner)).map(({ role }) => role).toSorted()).toEqual(['admin', 'member', 'owner'])
  const { projects } = await must('projects')
  expect(projects.map(({ projectSlug }: { projectSlug: string }) => projectSlug)).toEqual(['mobile', 'reports', 'shop'])
  const { changes } = await must('history', { projectSlug: 'shop', stageSlug: 'prod' })
  const times = changes.map(({ writtenAtMs }: { writtenAtMs: number }) => writtenAtMs)
  expect(times[0] - times.at(-1)).toBeGreaterThan(20 * dayMs)
  expect(new Set(changes.map(({ writtenBy }: { writtenBy: string }) => writtenBy)).size).toBe(3)
  expect((await must('audit', { limit: 100 })).entries.length).toBeGreaterThan(20)
})

test('has rolls that were served over the month', async () => {
  const place = { projectSlug: 'shop', stageSlug: 'prod', name: 'NEW_CHECKOUT' }
  const { hours } = await must('rollCounts', place)
  const dates = new Set(hours.map(({ fromMs }: { fromMs: number }) => Math.floor(fromMs / dayMs)))
  expect(dates.size).toBeGreaterThanOrEqual(29)
})

test('takes changes', async () => {
  const place = { projectSlug: 'shop', stageSlug: 'dev' }
  await must('write', { ...place, mode: 'upsert', entries: [{ name: 'NEW', kind: 'secret', value: 'here' }] })
  expect(await must('evaluate', { ...place, name: 'NEW' })).toMatchObject({ value: 'here' })
})

test('says that it is a demo, which no other service does', async () => {
  expect(await client.must('webSettings', {})).toMatchObject({ isDemo: true })
  expect(output).toContain('This is a demo: its data is lost when it stops.')
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

test('keeps nothing: no file in its data directory, no master key in a file, and no file after its end', async () => {
  const folder = folderOf(child)
  expect(folder).toMatch(/\/rollkey-demo-\d+\//)
  expect(readdirSync(folder)).toContain('rollkey.db')
  expect(readdirSync(folder)).not.toContain('master.key')
  expect(readdirSync(dataDir)).toEqual([])
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(existsSync(folder)).toBe(false)
})
