import { expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../testkit/test-env.ts'

const testEnv = useTestEnv()

interface Found {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly name: string
}

async function find({ at: { orgSlug }, token }: TestTenant, query: string, limit?: number) {
  const input = { orgSlug, query, ...(limit !== undefined && { limit }) }
  const { variables, more } = await testEnv.client.must('search', input, { token })
  return { found: (variables as Found[]).map((each) => `${each.projectSlug}/${each.stageSlug} ${each.name}`), more }
}

const names = async (tenant: TestTenant, query: string) =>
  (await find(tenant, query)).found.map((line) => line.split(' ')[1])

/** Writes names to stages, such as { 'shop/prod': ['A'] }. */
async function fill(tenant: TestTenant, places: Record<string, readonly string[]>): Promise<void> {
  for (const [place, all] of Object.entries(places)) {
    const [projectSlug = '', stageSlug = ''] = place.split('/')
    const entries = all.map((name) => secret(name, 'value of the variable'))
    await write(testEnv, tenantAt(tenant, { projectSlug, stageSlug }), entries)
  }
}

test('a search finds names that contain the query in all projects, sorted by code point, with what is said of them', async () => {
  const tenant = await newTenant(testEnv)
  const places = {
    'web/prod': ['API_URL', 'MY_API', 'OTHER'],
    'api/test': ['API_URL', 'api_key'],
    'api/dev': ['API_URL'],
  }
  await fill(tenant, places)
  await fill(await newTenant(testEnv), places)
  expect(await find(tenant, 'API')).toEqual({
    found: ['api/dev API_URL', 'api/test API_URL', 'web/prod API_URL', 'web/prod MY_API', 'api/test api_key'],
    more: false,
  })
  const about = { exposure: 'plain', description: 'Where the service is.' }
  await write(testEnv, tenant, [roll('API_ROLL', 0.5), { ...secret('API_TYPED', '1', 'int64'), ...about }])
  const { variables } = await testEnv.client.must(
    'search',
    { orgSlug: tenant.at.orgSlug, query: 'API_' },
    { token: tenant.token },
  )
  expect(variables).toContainEqual({ projectSlug: 'shop', stageSlug: 'prod', name: 'API_ROLL', kind: 'ab_roll' })
  expect(variables).toContainEqual({
    projectSlug: 'shop',
    stageSlug: 'prod',
    name: 'API_TYPED',
    kind: 'secret',
    declaredType: 'int64',
    ...about,
  })
})

test('a search ignores case, and treats no character of a query as special', async () => {
  const tenant = await newTenant(testEnv)
  await fill(tenant, { 'shop/prod': ['Mixed_Case', 'MIXED', 'a%b', 'axb', 'a_b', 'a\\b', '100', 'Größe', '用户🚀'] })
  expect(await names(tenant, 'mIxEd')).toEqual(['MIXED', 'Mixed_Case'])
  expect(await names(tenant, '%')).toEqual(['a%b'])
  expect(await names(tenant, 'A_B')).toEqual(['a_b'])
  expect(await names(tenant, '\\')).toEqual(['a\\b'])
  expect(await names(tenant, '\\%')).toEqual([])
  expect(await names(tenant, 'größe')).toEqual(['Größe'])
  expect(await names(tenant, '户🚀')).toEqual(['用户🚀'])
  expect(await names(tenant, "' or 1=1 --")).toEqual([])
})

test('a search returns the first names up to the limit, and whether there are more', async () => {
  const tenant = await newTenant(testEnv)
  const all = Array.from({ length: 201 }, (_, index) => `N${String(index).padStart(3, '0')}`)
  await fill(tenant, { 'shop/prod': all })
  const { found, more } = await find(tenant, 'n')
  expect([found.length, found.at(-1), more]).toEqual([200, 'shop/prod N199', true])
  expect(await find(tenant, 'n', 3)).toEqual({
    found: ['shop/prod N000', 'shop/prod N001', 'shop/prod N002'],
    more: true,
  })
  expect(await find(tenant, 'N20', 1)).toEqual({ found: ['shop/prod N200'], more: false })
  for (const wrong of [{ limit: 0 }, { limit: 201 }, { query: '' }, { query: 'x'.repeat(257) }]) {
    const input = { orgSlug: tenant.at.orgSlug, query: 'n', ...wrong }
    expect((await testEnv.client.call('search', input, { token: tenant.token })).body.error.code).toBe(
      'INVALID_REQUEST',
    )
  }
})

test('a search omits archived projects and stages', async () => {
  const tenant = await newTenant(testEnv)
  await fill(tenant, { 'shop/prod': ['A'], 'shop/test': ['A'], 'old/prod': ['A'] })
  await testEnv.client.must('stageUpdate', { ...tenant.at, archived: true }, { token: tenant.token })
  await testEnv.client.must(
    'projectUpdate',
    { orgSlug: tenant.at.orgSlug, projectSlug: 'old', archived: true },
    { token: tenant.token },
  )
  expect((await find(tenant, 'a')).found).toEqual(['shop/test A'])
})

test('a search by a service token finds what is in its scope, also behind many names outside it', async () => {
  const tenant = await newOwner(testEnv)
  const many = Array.from({ length: 250 }, (_, index) => `A${index}`)
  await fill(tenant, { 'aaa/prod': many, 'shop/prod': ['A1'], 'shop/test': ['A1'] })
  const found = async (reach: object) => {
    const { token } = await newServiceToken(testEnv, tenant, reach)
    return find({ ...tenant, token }, 'A1', 5)
  }
  expect(await found({ projectSlug: 'shop' })).toEqual({ found: ['shop/prod A1', 'shop/test A1'], more: false })
  expect((await found({ projectSlug: 'shop', stageSlug: 'test', readOnly: true })).found).toEqual(['shop/test A1'])
  expect((await found({})).more).toBe(true)
})
