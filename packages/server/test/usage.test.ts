/** Tests the usage that an organization shows its people. */
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, usageOf, type TestApp } from '../testkit/app.ts'
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

beforeAll(async () => {
  testEnv.clock.freezeAt(Date.UTC(2027, 0, 5, 12))
})

async function shown(
  { at: { orgSlug }, token }: TestTenant,
  more: object = {},
  { client }: Pick<TestApp, 'client'> = testEnv,
) {
  const { requestId: _, ...rest } = await client.must('usage', { orgSlug, ...more }, { token })
  return rest
}

/** Puts the tenant on the free plan with a new login, because an hour may have passed. */
async function withNewLogin(tenant: TestTenant): Promise<TestTenant> {
  return { ...tenant, token: (await testEnv.client.login(tenant.user)).accessToken }
}

describe('usage', () => {
  test('is shown by month, by day and stage, and as stored bytes', async () => {
    testEnv.clock.freezeAt(Date.UTC(2026, 10, 30, 23))
    let tenant = await newTenant(testEnv)
    const { at } = tenant
    await write(testEnv, tenant, [secret('A', 'x'.repeat(1_000)), roll('R', 0.5)])
    await write(testEnv, tenantAt(tenant, { projectSlug: 'api' }), [secret('A', '1')])
    const evaluate = (place: object = {}) =>
      testEnv.client.must('evaluate', { ...at, ...place, name: 'A' }, { token: tenant.token })
    await evaluate()
    testEnv.clock.advance(3_600_000)
    tenant = await withNewLogin(tenant)
    await evaluate()
    await evaluate()
    await evaluate({ projectSlug: 'api' })
    testEnv.clock.freezeAt(Date.UTC(2027, 0, 5, 12))
    tenant = await withNewLogin(tenant)
    await evaluate()
    await testEnv.client.must('pull', { ...at, stageSlug: 'none' }, { token: tenant.token })
    const found = await shown(tenant, { months: 4 })
    expect(found.months).toEqual([
      { month: '2026-10', evaluations: 0 },
      { month: '2026-11', evaluations: 1 },
      { month: '2026-12', evaluations: 3 },
      { month: '2027-01', evaluations: 2 },
    ])
    // November is neither the current month nor the last.
    expect(found.days).toEqual([
      { day: '2026-12-01', projectSlug: 'api', stageSlug: 'prod', evaluations: 1 },
      { day: '2026-12-01', projectSlug: 'shop', stageSlug: 'prod', evaluations: 2 },
      { day: '2027-01-05', projectSlug: 'shop', stageSlug: 'prod', evaluations: 1 },
      { day: '2027-01-05', evaluations: 1 },
    ])
    const daysOf = async (days: number) =>
      (await shown(tenant, { days })).days.map(({ day }: { day: string }) => day) as string[]
    expect(await daysOf(1)).toEqual(['2027-01-05', '2027-01-05'])
    expect(await daysOf(35)).not.toContain('2026-12-01')
    expect(await daysOf(36)).toContain('2026-12-01')
    expect((await daysOf(400))[0]).toBe('2026-11-30')
    expect(found.plan).toEqual({ name: 'unlimited' })
    const [api, shop] = found.storage.byStage
    expect([api, shop]).toMatchObject([
      { projectSlug: 'api', stageSlug: 'prod' },
      { projectSlug: 'shop', stageSlug: 'prod' },
    ])
    expect(shop.bytes).toBeGreaterThan(1_000)
    expect(found.storage.bytes).toBe(api.bytes + shop.bytes)
    expect(await shown(tenant, { months: 4 })).toEqual(found)
  })

  test('of storage is kept by each write, and summed again after one of an earlier version', async () => {
    const tenant = await newTenant(testEnv)
    const { at, token } = tenant
    const { dataDir } = testEnv.app
    const stage =
      'stages s join projects p on p.id = s.project_id join organizations o on o.id = p.org_id where o.slug = $1'
    const [of, alter] = [`from ${stage}`, `where id = (select s.id from ${stage})`]
    const bytes = async (): Promise<unknown[]> => {
      const text = `select cast(sum(length(v.sealed)) as bigint) as bytes ${of.replace(' where', ' join variables v on v.stage_id = s.id where')}`
      const [sum] = await query(dataDir, text, at.orgSlug)
      const [kept] = await query(dataDir, `select s.bytes, s.revision - s.bytes_revision as behind ${of}`, at.orgSlug)
      return [sum?.['bytes'], kept?.['bytes'], kept?.['behind']].map(Number)
    }
    const sizes: unknown[] = []
    const expectKept = async (): Promise<void> => {
      const [sum, ...kept] = await bytes()
      expect(kept).toEqual([sum, 0])
      sizes.push(sum)
    }
    await write(testEnv, tenant, [secret('A', 'x'.repeat(1_000)), secret('B', '1')])
    await expectKept()
    await Promise.all(['B', 'C', 'D'].map((name) => write(testEnv, tenant, [secret(name, name.repeat(500))])))
    await expectKept()
    await testEnv.client.must('write', { ...at, mode: 'upsert', entries: [], deletes: ['A'] }, { token })
    await expectKept()
    expect(new Set(sizes).size).toBe(3)
    // As if a node that does not keep them had advanced the revision.
    await query(dataDir, `update stages set bytes = 1, bytes_revision = revision - 1 ${alter}`, at.orgSlug)
    const { storage } = await shown(tenant)
    expect(storage.byStage[0].bytes).toBe(sizes[2])
    await expectKept()
  })

  test('is zero where nothing was used', async () => {
    const tenant = await newTenant(testEnv)
    const { months, days, storage } = await shown(tenant)
    expect(months).toHaveLength(12)
    expect([months[0], months.at(-1)]).toEqual([
      { month: '2026-02', evaluations: 0 },
      { month: '2027-01', evaluations: 0 },
    ])
    expect([days, storage]).toEqual([[], { bytes: 0, byStage: [] }])
    expect((await shown(tenant, { months: 1 })).months).toEqual([{ month: '2027-01', evaluations: 0 }])
    expect((await shown(tenant, { months: 24 })).months[0]).toEqual({ month: '2025-02', evaluations: 0 })
    const wrong = [...[0, 25, 1.5, '2'].map((count) => ({ months: count })), { days: 0 }, { days: 401 }]
    for (const each of wrong) {
      const input = { orgSlug: tenant.at.orgSlug, ...each }
      expect((await testEnv.client.call('usage', input, { token: tenant.token })).body.error.code).toBe(
        'INVALID_REQUEST',
      )
    }
  })

  test('covers the whole organization, for service tokens too', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    const input = { orgSlug: tenant.at.orgSlug }
    const { token } = await newServiceToken(testEnv, tenant, { readOnly: true })
    expect((await testEnv.client.call('usage', input, { token })).status).toBe(200)
    await write(testEnv, tenant, [secret('A', 'a')])
    const { token: narrow } = await newServiceToken(testEnv, tenant, { projectSlug: 'shop' })
    expect((await testEnv.client.call('usage', input, { token: narrow })).body.error).toMatchObject({
      code: 'FORBIDDEN',
      message: 'The service token has access only to the project shop: use a token for the whole organization.',
    })
  })

  test('adds no row by being read', async () => {
    const tenant = await newTenant(testEnv)
    await shown(tenant)
    for (let read = 0; read < 5; read++) await shown(tenant)
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(0)
    const text = 'select u.day from usage_days u join organizations o on o.id = u.org_id where o.slug = $1'
    expect(await query(testEnv.app.dataDir, text, tenant.at.orgSlug)).toEqual([])
  })
})

describe('callers', () => {
  const days = { from: '2027-01-05', to: '2027-01-05' }
  const callersOf = async ({ at: { orgSlug }, token }: TestTenant, more: object = days) =>
    (await testEnv.client.must('usageCallers', { orgSlug, ...more }, { token })).callers as object[]

  test('are listed with their evaluations by stage, and add up to the usage', async () => {
    const tenant = await newOwner(testEnv)
    const { at, token, user } = tenant
    await write(testEnv, tenant, [secret('A', '1')])
    const { token: service, id } = await newServiceToken(testEnv, tenant)
    const evaluate = (by: string, key?: string) =>
      testEnv.client.must(
        'evaluate',
        { ...at, name: 'A' },
        {
          token: by,
          ...(key !== undefined && { headers: { 'x-service-request-key': key } }),
        },
      )
    for (let time = 0; time < 4; time++) await evaluate(token)
    for (let time = 0; time < 3; time++) await evaluate(service as string, 'the-same-key')
    await evaluate(await testEnv.provider.tokenOf(user), 'another-key')
    const entries = [{ name: 'A' }, { name: 'A' }]
    await testEnv.client.must('evaluateBatch', { ...at, entries }, { token: service as string })
    await testEnv.client.must('pull', { ...at, stageSlug: 'none' }, { token })
    const place = { projectSlug: 'shop', stageSlug: 'prod' }
    const all = [
      { caller: user.userId, how: 'session', ...place, evaluations: 4 },
      { caller: id, how: 'service', ...place, evaluations: 2 },
      { caller: user.userId, how: 'provider', ...place, evaluations: 1 },
      { caller: user.userId, how: 'session', evaluations: 1 },
    ]
    const found = await callersOf(tenant)
    expect(found[0]).toEqual(all[0])
    expect(new Set(found)).toEqual(new Set(all))
    expect(await usageOf(testEnv.app, at.orgSlug)).toBe(8)
    expect(await callersOf(tenant, { from: '2027-01-06', to: '2027-12-31' })).toEqual([])
  })

  test('are the thousand that evaluated most', async () => {
    const { at, token } = await newOwner(testEnv)
    await query(
      testEnv.app.dataDir,
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 3500)
       insert into usage_callers (org_id, day, caller, how, project_id, stage_id, evaluations)
       select (select id from organizations where slug = '${at.orgSlug}'), '2027-01-05', 'caller ' || i, 'service', '', '', (i * 1777) % 3500 + 1 from n`,
    )
    const { callers, more } = await testEnv.client.must('usageCallers', { orgSlug: at.orgSlug, ...days }, { token })
    const counts = (callers as { evaluations: number }[]).map(({ evaluations }) => evaluations)
    expect(counts).toEqual(Array.from({ length: 1_000 }, (_, index) => 3_500 - index))
    expect(more).toBe(true)
  })

  test('are shown to owners and admins only, for days that exist', async () => {
    const tenant = await newOwner(testEnv)
    const { token: service } = await newServiceToken(testEnv, tenant)
    const member = await newTenant(testEnv)
    const call = async (token: string, more: object, orgSlug = tenant.at.orgSlug) =>
      (await testEnv.client.call('usageCallers', { orgSlug, ...more }, { token })).body.error?.code
    expect(await call(service as string, days)).toBe('FORBIDDEN')
    expect(await call(member.token, days, member.at.orgSlug)).toBe('FORBIDDEN')
    expect(await call(tenant.token, { from: '2027-02-29', to: '2027-03-01' })).toBe('INVALID_REQUEST')
    expect(await call(tenant.token, { from: '2027-01-01' })).toBe('INVALID_REQUEST')
  })
})

test('the plan is shown with its limits', async () => {
  const app = await startTestApp(
    {
      PLAN: 'free',
      FREE_EVALUATIONS: '5',
      FREE_STORAGE_BYTES: '70',
    },
    { provider: testEnv.provider },
  )
  const tenant = await newTenant(app)
  const plan = { name: 'free', evaluationsPerMonth: 5, storageBytes: 70 }
  expect((await shown(tenant, {}, app)).plan).toEqual(plan)
  const { orgSlug } = tenant.at
  expect((await app.client.must('organization', { orgSlug }, { token: tenant.token })).plan).toEqual(plan)
})
