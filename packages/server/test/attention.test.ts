import { expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { query } from '../testkit/store.ts'
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

interface Attention {
  readonly missing: readonly object[]
  readonly overdue: readonly object[]
  readonly expiringTokens?: readonly { readonly name: string }[]
  readonly misfits: readonly object[]
}

function attentionOf({ at: { orgSlug }, token }: TestTenant): Promise<Attention> {
  return testEnv.client.must('attention', { orgSlug }, { token })
}

async function fill(tenant: TestTenant, place: string, names: readonly string[]): Promise<void> {
  const [projectSlug = '', stageSlug = ''] = place.split('/')
  await write(
    testEnv,
    tenantAt(tenant, { projectSlug, stageSlug }),
    names.map((name) => secret(name, 'x')),
  )
}

test('what production lacks are the variables of the other open stages of its project', async () => {
  const tenant = await newTenant(testEnv)
  const { orgSlug } = tenant.at
  const many = Array.from({ length: 12 }, (_, index) => `N${String(index).padStart(2, '0')}`)
  await fill(tenant, 'shop/dev', [...many, 'BOTH', 'a'])
  await fill(tenant, 'shop/prod', ['BOTH', 'ONLY'])
  await fill(tenant, 'shop/old', ['OLD'])
  await fill(tenant, 'api/dev', ['A'])
  await fill(tenant, 'api/prod', ['A'])
  await fill(tenant, 'api/eu', ['A', 'B'])
  await fill(tenant, 'gone/dev', ['A'])
  await fill(tenant, 'gone/prod', ['B'])
  await fill(tenant, 'none/dev', ['A'])
  await fill(tenant, 'none/test', ['B'])
  await fill(tenant, 'fresh/dev', ['A'])
  const update = (name: 'projectUpdate' | 'stageUpdate', body: object) =>
    testEnv.client.must(name, { orgSlug, ...body }, { token: tenant.token })
  await update('stageUpdate', { projectSlug: 'shop', stageSlug: 'old', archived: true })
  await update('projectUpdate', { projectSlug: 'gone', archived: true })
  // Nothing is in it yet.
  const fresh = { projectSlug: 'fresh', stageSlug: 'prod' }
  await testEnv.client.must('stageCreate', { orgSlug, ...fresh, name: 'prod' }, { token: tenant.token })
  await update('stageUpdate', { ...fresh, isProduction: true })
  const inShop = { projectSlug: 'shop', stageSlug: 'prod', count: 13, names: many.slice(0, 10) }
  const inApi = { projectSlug: 'api', stageSlug: 'prod', count: 1, names: ['B'] }
  expect((await attentionOf(tenant)).missing).toEqual([inApi, inShop])
  // Several stages may be production.
  await update('stageUpdate', { projectSlug: 'api', stageSlug: 'eu', isProduction: true })
  await fill(tenant, 'api/prod', ['C'])
  expect((await attentionOf(tenant)).missing).toEqual([inApi, { ...inApi, stageSlug: 'eu', names: ['C'] }, inShop])
  await update('stageUpdate', { projectSlug: 'shop', stageSlug: 'prod', isProduction: false })
  await fill(tenant, 'api/prod', ['B'])
  await fill(tenant, 'api/eu', ['C'])
  expect((await attentionOf(tenant)).missing).toEqual([])
})

test('a variable that an open change proposes for production is not missing while the change is open', async () => {
  const tenant = await newOwner(testEnv)
  const prod = { orgSlug: tenant.at.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
  const call = (name: 'changePropose' | 'changeWithdraw', body: object) =>
    testEnv.client.must(name, { ...prod, ...body }, { token: tenant.token })
  await fill(tenant, 'shop/dev', ['A', 'B', 'OWN'])
  await fill(tenant, 'shop/prod', ['OWN'])
  const missing = (names: readonly string[]) => [{ projectSlug: 'shop', stageSlug: 'prod', count: names.length, names }]
  expect((await attentionOf(tenant)).missing).toEqual(missing(['A', 'B']))
  const one = await call('changePropose', { reason: 'Needed', entries: [secret('A', 'x')] })
  expect((await attentionOf(tenant)).missing).toEqual(missing(['B']))
  const other = await call('changePropose', { reason: 'Needed', entries: [secret('B', 'x')] })
  expect((await attentionOf(tenant)).missing).toEqual([])
  await call('changeWithdraw', { id: one.id })
  expect((await attentionOf(tenant)).missing).toEqual(missing(['A']))
  await call('changeWithdraw', { id: other.id })
  expect((await attentionOf(tenant)).missing).toEqual(missing(['A', 'B']))
})

test('what a declaration requires of production is missing there, also if no stage has it', async () => {
  const tenant = await newOwner(testEnv)
  const shop = { orgSlug: tenant.at.orgSlug, projectSlug: 'shop' }
  const prod = { ...shop, stageSlug: 'prod' }
  const call = (name: 'declarationSet' | 'changePropose' | 'changeWithdraw' | 'stageUpdate', body: object) =>
    testEnv.client.must(name, { ...shop, ...body }, { token: tenant.token })
  await fill(tenant, 'shop/dev', ['A', 'DEV', 'HAS'])
  await fill(tenant, 'shop/old', ['OLD'])
  await call('stageUpdate', { stageSlug: 'old', archived: true })
  const required = { ALL: 'all', A: 'all', HAS: 'production', NONE: ['dev'], OLD: 'production', PROD: ['prod'] }
  const declarations = Object.entries(required).map(([name, of]) => ({ name, required: of }))
  await call('declarationSet', { declarations: [...declarations, { name: 'FREE' }] })
  const missing = async () => (await attentionOf(tenant)).missing
  await testEnv.client.must('stageCreate', { ...prod, name: 'prod' }, { token: tenant.token })
  await call('stageUpdate', { stageSlug: 'prod', isProduction: true })
  // A stage without variables is still to be filled.
  expect(await missing()).toEqual([])
  await fill(tenant, 'shop/prod', ['HAS'])
  const lacking = (names: readonly string[]) => [{ projectSlug: 'shop', stageSlug: 'prod', count: names.length, names }]
  expect(await missing()).toEqual(lacking(['A', 'ALL', 'DEV', 'OLD', 'PROD']))
  const { id } = await call('changePropose', { stageSlug: 'prod', reason: 'Needed', entries: [secret('PROD', 'x')] })
  expect(await missing()).toEqual(lacking(['A', 'ALL', 'DEV', 'OLD']))
  await call('changeWithdraw', { stageSlug: 'prod', id })
  expect(await missing()).toEqual(lacking(['A', 'ALL', 'DEV', 'OLD', 'PROD']))
  await call('declarationSet', { declarations: [{ name: 'PROD' }] })
  expect(await missing()).toEqual(lacking(['A', 'ALL', 'DEV', 'OLD']))
  const within = { projectSlug: 'shop', stageSlug: 'prod' }
  const { token } = await newServiceToken(testEnv, tenant, { readOnly: true, ...within })
  expect((await attentionOf({ ...tenant, token })).missing).toEqual(lacking(['A', 'ALL', 'OLD']))
})

test('service tokens that expire within 14 days are shown to those who may list them', async () => {
  const tenant = await newOwner(testEnv)
  for (const [name, expiresInDays] of [
    ['late', 15],
    ['soon', 14],
    ['first', 1],
  ] as const) {
    await newServiceToken(testEnv, tenant, { name, expiresInDays })
  }
  const { id } = await newServiceToken(testEnv, tenant, { name: 'revoked', expiresInDays: 2 })
  await testEnv.client.must('tokenRevoke', { orgSlug: tenant.at.orgSlug, id }, { token: tenant.token })
  const { expiringTokens } = await attentionOf(tenant)
  expect(expiringTokens?.map(({ name }) => name)).toEqual(['first', 'soon'])
  expect(Object.keys(expiringTokens?.[0] ?? {})).toEqual(['id', 'name', 'expiresAtMs'])
  for (const [role, isShown] of [
    ['admin', true],
    ['member', false],
  ] as const) {
    testEnv.provider.setRole(tenant.user, role)
    expect([role, 'expiringTokens' in (await attentionOf(tenant))]).toEqual([role, isShown])
  }
  testEnv.provider.setRole(tenant.user, 'owner')
  const { token } = await newServiceToken(testEnv, tenant, {})
  expect(await attentionOf({ ...tenant, token })).not.toHaveProperty('expiringTokens')
})

test('rolls that do not fit are those whose split at their chance differs, and a token sees those within its scope', async () => {
  const tenant = await newOwner(testEnv)
  const [shop, api] = [tenant, tenantAt(tenant, { projectSlug: 'api', stageSlug: 'dev' })]
  await write(testEnv, shop, [
    roll('FITS', 0.5),
    roll('DIFFERS', 0.5),
    roll('FEW', 0.5),
    roll('OFF', 0),
    secret('S', 's'),
  ])
  await write(testEnv, api, [roll('DIFFERS', 0.5)])
  const { dataDir } = testEnv.app
  await testEnv.app.stop()
  for (const [name, a, b] of [
    ['FITS', 612, 592],
    ['DIFFERS', 672, 532],
    ['FEW', 4, 0],
    ['OFF', 100, 0],
  ] as const) {
    await query(
      dataDir,
      `insert into roll_days (stage_id, name, day_ms, a, b) select v.stage_id, v.name, $2, $3, $4 from variables v
         join stages s on s.id = v.stage_id join projects p on p.id = s.project_id
         join organizations o on o.id = p.org_id where v.name = $1 and o.slug = $5`,
      name,
      (Math.floor(testEnv.clock.now() / 86_400_000) + 1) * 86_400_000,
      a,
      b,
      tenant.at.orgSlug,
    )
  }
  await testEnv.restart()
  const inApi = { projectSlug: 'api', stageSlug: 'dev', name: 'DIFFERS' }
  const inShop = { projectSlug: 'shop', stageSlug: 'prod', name: 'DIFFERS' }
  expect((await attentionOf(tenant)).misfits).toEqual([inApi, inShop])
  await fill(tenant, 'shop/dev', ['ONLY_DEV'])
  const seen = async (reach: object): Promise<Attention> => {
    const { token } = await newServiceToken(testEnv, tenant, { readOnly: true, ...reach })
    return attentionOf({ ...tenant, token })
  }
  expect((await seen({})).misfits).toEqual([inApi, inShop])
  expect(await seen({ projectSlug: 'api' })).toMatchObject({ misfits: [inApi], missing: [] })
  const { missing } = await seen({ projectSlug: 'shop' })
  expect(missing).toEqual([{ projectSlug: 'shop', stageSlug: 'prod', count: 1, names: ['ONLY_DEV'] }])
  // A token of one stage does not learn the names of another.
  expect(await seen({ projectSlug: 'shop', stageSlug: 'prod' })).toMatchObject({ misfits: [inShop], missing: [] })
})
