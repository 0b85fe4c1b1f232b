/** What people are told of the usage of their organization. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, usageOf, type TestApp } from '../testkit/app.ts'
import { query } from '../testkit/store.ts'
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
  world.clock.freezeAt(Date.UTC(2027, 0, 5, 12))
})
afterAll(() => world.close())

async function shown({ at: { orgSlug }, token }: Desk, more: object = {}, { client }: Pick<TestApp, 'client'> = world) {
  const { requestId: _, ...rest } = await client.must('usage', { orgSlug, ...more }, { token })
  return rest
}

/** On plan free; the desk is signed in anew, since an hour may have gone by. */
async function sameDesk(desk: Desk): Promise<Desk> {
  return { ...desk, token: (await world.client.login(desk.user)).accessToken }
}

describe('usage', () => {
  test('is told by month, by day and stage, and as bytes', async () => {
    world.clock.freezeAt(Date.UTC(2026, 10, 30, 23))
    let desk = await newDesk(world)
    const { at } = desk
    await write(world, desk, [secret('A', 'x'.repeat(1_000)), roll('R', 0.5)])
    await write(world, { ...desk, at: { ...at, projectSlug: 'api' } }, [secret('A', '1')])
    const evaluate = (place: object = {}) =>
      world.client.must('evaluate', { ...at, ...place, name: 'A' }, { token: desk.token })
    await evaluate()
    world.clock.advance(3_600_000)
    desk = await sameDesk(desk)
    await evaluate()
    await evaluate()
    await evaluate({ projectSlug: 'api' })
    world.clock.freezeAt(Date.UTC(2027, 0, 5, 12))
    desk = await sameDesk(desk)
    await evaluate()
    await world.client.must('pull', { ...at, stageSlug: 'none' }, { token: desk.token })
    const found = await shown(desk, { months: 4 })
    expect(found.months).toEqual([
      { month: '2026-10', evaluations: 0 },
      { month: '2026-11', evaluations: 1 },
      { month: '2026-12', evaluations: 3 },
      { month: '2027-01', evaluations: 2 },
    ])
    // November is neither this month nor the last.
    expect(found.days).toEqual([
      { day: '2026-12-01', projectSlug: 'api', stageSlug: 'prod', evaluations: 1 },
      { day: '2026-12-01', projectSlug: 'shop', stageSlug: 'prod', evaluations: 2 },
      { day: '2027-01-05', projectSlug: 'shop', stageSlug: 'prod', evaluations: 1 },
      { day: '2027-01-05', evaluations: 1 },
    ])
    expect(found.plan).toEqual({ name: 'unlimited' })
    const [api, shop] = found.storage.byStage
    expect([api, shop]).toMatchObject([
      { projectSlug: 'api', stageSlug: 'prod' },
      { projectSlug: 'shop', stageSlug: 'prod' },
    ])
    expect(shop.bytes).toBeGreaterThan(1_000)
    expect(found.storage.bytes).toBe(api.bytes + shop.bytes)
    expect(await shown(desk, { months: 4 })).toEqual(found)
  })

  test('of nothing is zeros', async () => {
    const desk = await newDesk(world)
    const { months, days, storage } = await shown(desk)
    expect(months).toHaveLength(12)
    expect([months[0], months.at(-1)]).toEqual([
      { month: '2026-02', evaluations: 0 },
      { month: '2027-01', evaluations: 0 },
    ])
    expect([days, storage]).toEqual([[], { bytes: 0, byStage: [] }])
    expect((await shown(desk, { months: 1 })).months).toEqual([{ month: '2027-01', evaluations: 0 }])
    expect((await shown(desk, { months: 24 })).months[0]).toEqual({ month: '2025-02', evaluations: 0 })
    for (const wrong of [0, 25, 1.5, '2']) {
      const asked = { orgSlug: desk.at.orgSlug, months: wrong }
      expect((await world.client.call('usage', asked, { token: desk.token })).body.error.code).toBe('INVALID_REQUEST')
    }
  })

  test('is of the whole organization, for service tokens too', async () => {
    const desk = await newOwner(world)
    const asked = { orgSlug: desk.at.orgSlug }
    const { token } = await newServiceToken(world, desk, { readOnly: true })
    expect((await world.client.call('usage', asked, { token })).status).toBe(200)
    const { token: narrow } = await newServiceToken(world, desk, { projectSlug: 'shop' })
    expect((await world.client.call('usage', asked, { token: narrow })).body.error).toMatchObject({
      code: 'FORBIDDEN',
      message: 'The service token reaches only the project shop, not the whole organization.',
    })
  })

  test('adds no row for who asks', async () => {
    const desk = await newDesk(world)
    await shown(desk)
    const count = async () => (await query(world.app.dataDir, 'select count(*) as rows from usage_days'))[0]?.['rows']
    const before = await count()
    for (let asked = 0; asked < 5; asked++) await shown(desk)
    expect(await count()).toEqual(before)
  })
})

describe('callers', () => {
  const days = { from: '2027-01-05', to: '2027-01-05' }
  const told = async ({ at: { orgSlug }, token }: Desk, more: object = days) =>
    (await world.client.must('usageCallers', { orgSlug, ...more }, { token })).callers as object[]

  test('are told with what each evaluated, by stage, and add up to the usage', async () => {
    const desk = await newOwner(world)
    const { at, token, user } = desk
    await write(world, desk, [secret('A', '1')])
    const { token: service, id } = await newServiceToken(world, desk)
    const evaluate = (by: string, key?: string) =>
      world.client.must(
        'evaluate',
        { ...at, name: 'A' },
        {
          token: by,
          ...(key !== undefined && { headers: { 'x-service-request-key': key } }),
        },
      )
    for (let time = 0; time < 4; time++) await evaluate(token)
    for (let time = 0; time < 3; time++) await evaluate(service as string, 'the-same-key')
    await evaluate(await world.provider.tokenOf(user), 'another-key')
    const entries = [{ name: 'A' }, { name: 'A' }]
    await world.client.must('evaluateBatch', { ...at, entries }, { token: service as string })
    await world.client.must('pull', { ...at, stageSlug: 'none' }, { token })
    const place = { projectSlug: 'shop', stageSlug: 'prod' }
    const all = [
      { caller: user.userId, how: 'session', ...place, evaluations: 4 },
      { caller: id, how: 'service', ...place, evaluations: 2 },
      { caller: user.userId, how: 'provider', ...place, evaluations: 1 },
      { caller: user.userId, how: 'session', evaluations: 1 },
    ]
    const found = await told(desk)
    expect(found[0]).toEqual(all[0])
    expect(new Set(found)).toEqual(new Set(all))
    expect(await usageOf(world.app, at.orgSlug)).toBe(8)
    expect(await told(desk, { from: '2027-01-06', to: '2027-12-31' })).toEqual([])
  })

  test('are told to owners and admins alone, over days that exist', async () => {
    const desk = await newOwner(world)
    const { token: service } = await newServiceToken(world, desk)
    const member = await newDesk(world)
    const call = async (token: string, more: object, orgSlug = desk.at.orgSlug) =>
      (await world.client.call('usageCallers', { orgSlug, ...more }, { token })).body.error?.code
    expect(await call(service as string, days)).toBe('FORBIDDEN')
    expect(await call(member.token, days, member.at.orgSlug)).toBe('FORBIDDEN')
    expect(await call(desk.token, { from: '2027-02-29', to: '2027-03-01' })).toBe('INVALID_REQUEST')
    expect(await call(desk.token, { from: '2027-01-01' })).toBe('INVALID_REQUEST')
  })
})

test('the limits of the plan are told with its name', async () => {
  const app = await startTestApp(world.provider, world.clock, {
    PLAN: 'free',
    FREE_EVALUATIONS: '5',
    FREE_STORAGE_BYTES: '70',
  })
  try {
    const desk = await newDesk(app)
    const plan = { name: 'free', evaluationsPerMonth: 5, storageBytes: 70 }
    expect((await shown(desk, {}, app)).plan).toEqual(plan)
    const { orgSlug } = desk.at
    expect((await app.client.must('organization', { orgSlug }, { token: desk.token })).plan).toEqual(plan)
  } finally {
    await app.close()
  }
})
