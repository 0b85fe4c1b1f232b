/** “Company sign-in only” on two nodes: it holds from its answer on, and someone can always enter. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchTestApp, type TestApp } from '../../testkit/app.ts'
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

async function set(isCompanyOnly: boolean, breakGlass: readonly string[] = [], by = owner): Promise<void> {
  const input = { orgSlug, isCompanyOnly, breakGlass }
  await nodes[0].client.must('signInRulesSet', input, { token: await by.token(orgSlug) })
}

test('holds on every node from the next request on', async () => {
  const member = await invite(owner)
  const token = await member.token(orgSlug)
  const statusAt = async ({ client }: TestApp): Promise<number> =>
    (await client.call('projects', { orgSlug }, { token })).status
  const ownerId = await owner.id()
  for (let round = 0; round < rounds; round++) {
    await set(true, [ownerId])
    expect([await statusAt(nodes[1]), await statusAt(nodes[0])]).toEqual([403, 403])
    await set(false)
    expect([await statusAt(nodes[1]), await statusAt(nodes[0])]).toEqual([200, 200])
  }
})

/** Sends the requests of a person to the second node from here on. */
function toSecondNode(person: Person): Person {
  person.url = nodes[1].url
  return person
}

test('of two excepted owners who remove each other on two nodes at once, one stays', async () => {
  for (let round = 0; round < rounds; round++) {
    const [one, two] = [await invite(owner, 'owner'), toSecondNode(await invite(owner, 'owner'))]
    await set(true, [await one.id(), await two.id()])
    const [byOne, byTwo] = await Promise.all([remove(one, two), remove(two, one)])
    expect([byOne.status, byTwo.status].filter((status) => status === 200)).toHaveLength(1)
    await set(false, [], byOne.status === 200 ? one : two)
  }
})
