import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchTestApp, startTestApp, type TestApp } from '../../packages/server/testkit/app.ts'
import { useFolder } from '../../packages/server/testkit/folder.ts'
import { membersOf, Person, setUp } from '../../packages/server/testkit/person.ts'
import { ScryptHasher } from '../../packages/server/src/identity/password-hasher.ts'
import { seed, type SignIn } from './seed.ts'

const day = 24 * 3_600_000
const folder = useFolder()
let first: SignIn
let app: TestApp

beforeAll(async () => {
  first = await seed(folder)
  app = await launchTestApp({}, { dataDir: folder, passwordHasher: new ScryptHasher() })
})
afterAll(() => app.close())

async function signedIn(): Promise<Person> {
  const person = new Person(app.url, first.email)
  expect((await person.signIn(first.password)).status).toBe(200)
  return person
}

test('the printed account signs in to an organization with members, projects and a month of changes', async () => {
  const owner = await signedIn()
  const token = await owner.token()
  const must = (name: Parameters<typeof app.client.must>[0], body: object) =>
    app.client.must(name, { orgSlug: 'acme', ...body }, { token })
  expect((await membersOf(owner)).map(({ role }) => role).toSorted()).toEqual([
    'admin',
    'member',
    'member',
    'member',
    'owner',
  ])
  const { projects } = await must('projects', {})
  expect(projects.map(({ projectSlug }: { projectSlug: string }) => projectSlug)).toEqual(['mobile', 'reports', 'shop'])
  const { changes } = await must('history', { projectSlug: 'shop', stageSlug: 'prod' })
  const times = changes.map(({ writtenAtMs }: { writtenAtMs: number }) => writtenAtMs)
  expect(times[0] - times.at(-1)).toBeGreaterThan(20 * day)
  expect(new Set(changes.map(({ writtenBy }: { writtenBy: string }) => writtenBy)).size).toBe(4)
})

test('its roll was served over a month', async () => {
  const token = await (await signedIn()).token()
  const place = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod', name: 'NEW_CHECKOUT' }
  const { hours } = await app.client.must('rollCounts', place, { token })
  const dates = new Set(hours.map(({ fromMs }: { fromMs: number }) => Math.floor(fromMs / day)))
  expect(dates.size).toBeGreaterThanOrEqual(29)
})

test('a second run changes nothing, and prints the same account', async () => {
  expect(await seed(folder)).toEqual(first)
})

test('a store that is in use, or has accounts from elsewhere, is refused', async () => {
  const theirs = await startTestApp()
  await setUp(theirs)
  await expect(seed(theirs.dataDir)).rejects.toThrow('stop npm run dev')
  await theirs.stop()
  await expect(seed(theirs.dataDir)).rejects.toThrow('has accounts that this command did not make')
})

test.each(['ROLLKEY_DATA_DIR', 'ROLLKEY_DATABASE_URL'])('the command refuses while %s names another store', (name) => {
  const env = { PATH: process.env['PATH'], [name]: folder }
  const { status, stderr } = spawnSync(process.execPath, ['tools/dev-seed.ts'], { env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('unset it')])
})
