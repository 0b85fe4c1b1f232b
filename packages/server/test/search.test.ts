import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  newDesk,
  newOwner,
  newServiceToken,
  roll,
  secret,
  startWorld,
  write,
  type Desk,
  type World,
} from '../testkit/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface Found {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly name: string
}

async function find({ at: { orgSlug }, token }: Desk, query: string, limit?: number) {
  const asked = { orgSlug, query, ...(limit !== undefined && { limit }) }
  const { variables, more } = await world.client.must('search', asked, { token })
  return { found: (variables as Found[]).map((each) => `${each.projectSlug}/${each.stageSlug} ${each.name}`), more }
}

const names = async (desk: Desk, query: string) => (await find(desk, query)).found.map((line) => line.split(' ')[1])

/** Writes names to places, such as { 'shop/prod': ['A'] }. */
async function fill(desk: Desk, places: Record<string, readonly string[]>): Promise<void> {
  for (const [place, all] of Object.entries(places)) {
    const [projectSlug = '', stageSlug = ''] = place.split('/')
    const entries = all.map((name) => secret(name, 'value of the variable'))
    await write(world, { ...desk, at: { ...desk.at, projectSlug, stageSlug } }, entries)
  }
}

test('what contains the query is found over all projects, sorted by code point, with kind and type', async () => {
  const desk = await newDesk(world)
  const places = {
    'web/prod': ['API_URL', 'MY_API', 'OTHER'],
    'api/test': ['API_URL', 'api_key'],
    'api/dev': ['API_URL'],
  }
  await fill(desk, places)
  await fill(await newDesk(world), places)
  expect(await find(desk, 'API')).toEqual({
    found: ['api/dev API_URL', 'api/test API_URL', 'web/prod API_URL', 'web/prod MY_API', 'api/test api_key'],
    more: false,
  })
  await write(world, desk, [roll('API_ROLL', 0.5), secret('API_TYPED', '1', 'int64')])
  const { variables } = await world.client.must(
    'search',
    { orgSlug: desk.at.orgSlug, query: 'API_' },
    { token: desk.token },
  )
  expect(variables).toContainEqual({ projectSlug: 'shop', stageSlug: 'prod', name: 'API_ROLL', kind: 'ab_roll' })
  expect(variables).toContainEqual({
    projectSlug: 'shop',
    stageSlug: 'prod',
    name: 'API_TYPED',
    kind: 'secret',
    declaredType: 'int64',
  })
})

test('upper and lower case are alike, and nothing in a query is special', async () => {
  const desk = await newDesk(world)
  await fill(desk, { 'shop/prod': ['Mixed_Case', 'MIXED', 'a%b', 'axb', 'a_b', 'a\\b', '100', 'Größe', '用户🚀'] })
  expect(await names(desk, 'mIxEd')).toEqual(['MIXED', 'Mixed_Case'])
  expect(await names(desk, '%')).toEqual(['a%b'])
  expect(await names(desk, 'A_B')).toEqual(['a_b'])
  expect(await names(desk, '\\')).toEqual(['a\\b'])
  expect(await names(desk, '\\%')).toEqual([])
  expect(await names(desk, 'größe')).toEqual(['Größe'])
  expect(await names(desk, '户🚀')).toEqual(['用户🚀'])
  expect(await names(desk, "' or 1=1 --")).toEqual([])
})

test('at most so many are told, the first ones, and whether there are more', async () => {
  const desk = await newDesk(world)
  const all = Array.from({ length: 201 }, (_, index) => `N${String(index).padStart(3, '0')}`)
  await fill(desk, { 'shop/prod': all })
  const { found, more } = await find(desk, 'n')
  expect([found.length, found.at(-1), more]).toEqual([200, 'shop/prod N199', true])
  expect(await find(desk, 'n', 3)).toEqual({
    found: ['shop/prod N000', 'shop/prod N001', 'shop/prod N002'],
    more: true,
  })
  expect(await find(desk, 'N20', 1)).toEqual({ found: ['shop/prod N200'], more: false })
  for (const wrong of [{ limit: 0 }, { limit: 201 }, { query: '' }, { query: 'x'.repeat(257) }]) {
    const asked = { orgSlug: desk.at.orgSlug, query: 'n', ...wrong }
    expect((await world.client.call('search', asked, { token: desk.token })).body.error.code).toBe('INVALID_REQUEST')
  }
})

test('what is archived is left out', async () => {
  const desk = await newDesk(world)
  await fill(desk, { 'shop/prod': ['A'], 'shop/test': ['A'], 'old/prod': ['A'] })
  await world.client.must('stageUpdate', { ...desk.at, archived: true }, { token: desk.token })
  await world.client.must(
    'projectUpdate',
    { orgSlug: desk.at.orgSlug, projectSlug: 'old', archived: true },
    { token: desk.token },
  )
  expect((await find(desk, 'a')).found).toEqual(['shop/test A'])
})

test('a service token finds what it reaches, also behind much that it does not', async () => {
  const desk = await newOwner(world)
  const many = Array.from({ length: 250 }, (_, index) => `A${index}`)
  await fill(desk, { 'aaa/prod': many, 'shop/prod': ['A1'], 'shop/test': ['A1'] })
  const found = async (reach: object) => {
    const { token } = await newServiceToken(world, desk, reach)
    return find({ ...desk, token }, 'A1', 5)
  }
  expect(await found({ projectSlug: 'shop' })).toEqual({ found: ['shop/prod A1', 'shop/test A1'], more: false })
  expect((await found({ projectSlug: 'shop', stageSlug: 'test', readOnly: true })).found).toEqual(['shop/test A1'])
  expect((await found({})).more).toBe(true)
})
