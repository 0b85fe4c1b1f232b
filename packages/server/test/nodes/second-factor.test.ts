/** A code of a second factor that is sent to two nodes at once: exactly one of them accepts it. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchTestApp, type TestApp } from '../../testkit/app.ts'
import { totpAt } from '../../testkit/authenticator.ts'
import { TestClock } from '../../testkit/clock.ts'
import { newFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { goodPassword, invite, Person, setUp } from '../../testkit/person.ts'
import { startPostgres, type TestPostgres } from '../../testkit/postgres.ts'

const rounds = isLong ? 200 : 20
const stepMs = 30_000
const clock = new TestClock()
const dataDir = newFolder()
let postgres: TestPostgres
let nodes: [TestApp, TestApp]
let owner: Person

beforeAll(async () => {
  postgres = await startPostgres()
  const settings = { DATABASE_URL: postgres.url, RATE_LIMIT_IP: '0' }
  const first = await launchTestApp(settings, { clock, dataDir })
  owner = await setUp(first)
  const publicUrl = first.url.replace('127.0.0.1', 'localhost')
  nodes = [first, await launchTestApp({ ...settings, PUBLIC_URL: publicUrl }, { clock, dataDir })]
})
afterAll(async () => {
  for (const node of nodes) await node.stop()
  await postgres.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Signs in on a node, from a browser that no one else has. Returns the outcome. */
async function signIn({ url }: TestApp, { email }: Person, code: string): Promise<string> {
  const person = new Person(nodes[0].url, email)
  person.url = url
  const { status, body } = await person.post('/sign-in/email', { email, password: goodPassword, code })
  return status === 200 ? 'ok' : String(body.code)
}

/** Sends the same code to both nodes at once. */
async function raceOf(person: Person, code: string): Promise<string[]> {
  const outcomes = await Promise.all(nodes.map((node) => signIn(node, person, code)))
  return outcomes.toSorted()
}

const oneOfTwo = ['WRONG_CODE', 'ok']

test(`of ${rounds} codes that are sent to two nodes at once, each signs in exactly once`, async () => {
  const person = await invite(owner)
  const { uri } = (await person.must('/second-factor/start')) as { uri: string }
  clock.freezeAt(clock.now())
  const nextCode = (): string => {
    clock.advance(stepMs)
    return totpAt(uri, clock.now())
  }
  const { recoveryCodes } = (await person.must('/second-factor/enable', { code: nextCode() })) as {
    recoveryCodes: string[]
  }
  for (let round = 0; round < rounds; round++) expect(await raceOf(person, nextCode())).toEqual(oneOfTwo)
  for (const code of recoveryCodes) expect(await raceOf(person, code)).toEqual(oneOfTwo)
})
