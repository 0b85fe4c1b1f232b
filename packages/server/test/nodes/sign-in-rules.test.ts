/** How people must sign in, on two nodes: a rule holds from its answer on, and someone can always enter. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchTestApp, type TestApp } from '../../testkit/app.ts'
import { totpAt } from '../../testkit/authenticator.ts'
import { useCompany } from '../../testkit/company.ts'
import { newFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { invite, remove, setUp, type Person } from '../../testkit/person.ts'
import { startPostgres, type TestPostgres } from '../../testkit/postgres.ts'

const rounds = isLong ? 100 : 10
const dataDir = newFolder()
const company = useCompany()
const orgSlug = 'acme'
let postgres: TestPostgres
let nodes: [TestApp, TestApp]
let owner: Person

beforeAll(async () => {
  postgres = await startPostgres()
  const settings = {
    DATABASE_URL: postgres.url,
    RATE_LIMIT_IP: '0',
    SIGN_IN: 'one',
    SIGN_IN_ONE_ISSUER: company.issuer,
    SIGN_IN_ONE_CLIENT_ID: 'rollkey',
  }
  const first = await launchTestApp(settings, { dataDir })
  owner = await setUp(first)
  const publicUrl = first.url.replace('127.0.0.1', 'localhost')
  nodes = [first, await launchTestApp({ ...settings, PUBLIC_URL: publicUrl }, { dataDir })]
})
afterAll(async () => {
  for (const node of nodes) await node.stop()
  await postgres.close()
  rmSync(dataDir, { recursive: true, force: true })
})

interface Rules {
  readonly isCompanyOnly?: boolean
  readonly breakGlass?: string[]
  readonly needsSecondFactor?: boolean
}

async function set(rules: Rules, by = owner): Promise<void> {
  await nodes[0].client.must('signInRulesSet', { orgSlug, ...rules }, { token: await by.token(orgSlug) })
}

/** Returns how both nodes answer a member in each round, while a rule is on and then off. */
async function answersIn(on: Rules, off: Rules): Promise<number[][]> {
  const member = await invite(owner)
  const token = await member.token(orgSlug)
  const statusAt = async ({ client }: TestApp): Promise<number> =>
    (await client.call('projects', { orgSlug }, { token })).status
  const answers: number[][] = []
  for (let round = 0; round < rounds; round++) {
    await set(on)
    const closed = [await statusAt(nodes[1]), await statusAt(nodes[0])]
    await set(off)
    answers.push([...closed, await statusAt(nodes[1]), await statusAt(nodes[0])])
  }
  return answers
}

const closedThenOpen = Array.from({ length: rounds }, () => [403, 403, 200, 200])

test('“company sign-in only” holds on every node from the next request on', async () => {
  const on = { isCompanyOnly: true, breakGlass: [await owner.id()] }
  expect(await answersIn(on, { isCompanyOnly: false })).toEqual(closedThenOpen)
})

test('a required second factor holds on every node from the next request on', async () => {
  const { uri } = (await owner.must('/second-factor/start')) as { uri: string }
  await owner.must('/second-factor/enable', { code: totpAt(uri, Date.now()) })
  expect(await answersIn({ needsSecondFactor: true }, { needsSecondFactor: false })).toEqual(closedThenOpen)
})

/** Sends the requests of a person to the second node from here on. */
function toSecondNode(person: Person): Person {
  person.url = nodes[1].url
  return person
}

test('of two excepted owners who remove each other on two nodes at once, one stays', async () => {
  for (let round = 0; round < rounds; round++) {
    const [one, two] = [await invite(owner, 'owner'), toSecondNode(await invite(owner, 'owner'))]
    await set({ isCompanyOnly: true, breakGlass: [await one.id(), await two.id()] })
    const [byOne, byTwo] = await Promise.all([remove(one, two), remove(two, one)])
    expect([byOne.status, byTwo.status].filter((status) => status === 200)).toHaveLength(1)
    await set({ isCompanyOnly: false }, byOne.status === 200 ? one : two)
  }
})
