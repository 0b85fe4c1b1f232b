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

const hour = 3_600_000
const day = 24 * hour
const testEnv = useTestEnv()

interface Roll {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly name: string
}

async function rollsOf({ at: { orgSlug }, token }: TestTenant, more: object = {}) {
  const { rolls, more: hasMore } = await testEnv.client.must('rolls', { orgSlug, ...more }, { token })
  return { rolls: rolls as (Roll & Record<string, unknown>)[], more: hasMore as boolean }
}

/** Returns the rolls as texts such as `shop/prod R`. */
async function placesOf(tenant: TestTenant, more: object = {}): Promise<string[]> {
  return (await rollsOf(tenant, more)).rolls.map((each) => `${each.projectSlug}/${each.stageSlug} ${each.name}`)
}

/** Moves the clock to the time, and returns the tenant with a token that is valid then. */
async function at(atMs: number, tenant: TestTenant): Promise<TestTenant> {
  testEnv.clock.freezeAt(atMs)
  return { ...tenant, token: await testEnv.provider.tokenOf(tenant.user) }
}

async function serve(tenant: TestTenant, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await testEnv.client.must('evaluate', { ...tenant.at, name: 'R' }, { token: tenant.token })
  }
}

test('the rolls of an organization are those of its open stages, by project, order of stages and name', async () => {
  const tenant = await newTenant(testEnv)
  const stage = (projectSlug: string, stageSlug: string) => tenantAt(tenant, { projectSlug, stageSlug })
  await write(testEnv, stage('web', 'prod'), [roll('b', 0.5), roll('A', 0.25), secret('S', 's')])
  await write(testEnv, stage('web', 'dev'), [roll('Z', 1)])
  await write(testEnv, stage('api', 'prod'), [{ ...roll('R', 0, '1', '2'), declaredType: 'int64' }])
  await write(testEnv, stage('old', 'prod'), [roll('R', 0.5)])
  await write(testEnv, await newTenant(testEnv), [roll('R', 0.5)])
  const { orgSlug } = tenant.at
  const archive = { orgSlug, projectSlug: 'old', archived: true }
  await testEnv.client.must('projectUpdate', archive, { token: tenant.token })
  // Stages are in the order of their creation.
  const all = ['api/prod R', 'web/prod A', 'web/prod b', 'web/dev Z']
  expect(await placesOf(tenant)).toEqual(all)
  const [first] = (await rollsOf(tenant)).rolls
  const nowMs = expect.any(Number)
  expect(first).toEqual({
    projectSlug: 'api',
    stageSlug: 'prod',
    name: 'R',
    declaredType: 'int64',
    chance: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    chanceSinceMs: nowMs,
    served: { a: 0, b: 0 },
    sinceChance: { a: 0, b: 0 },
  })
  const inOrder = ['api/prod R', 'web/dev Z', 'web/prod A', 'web/prod b']
  await testEnv.client.must(
    'stageOrder',
    { orgSlug, projectSlug: 'web', stageSlugs: ['dev', 'prod'] },
    { token: tenant.token },
  )
  expect(await placesOf(tenant)).toEqual(inOrder)
  expect(await placesOf(tenant, { after: { projectSlug: 'web', stageSlug: 'dev', name: 'Z' } })).toEqual(
    inOrder.slice(2),
  )
  expect(await placesOf(tenant, { after: { projectSlug: 'web', stageSlug: 'gone', name: 'b' } })).toEqual(
    inOrder.slice(1),
  )
  await testEnv.client.must('stageUpdate', { ...stage('web', 'dev').at, archived: true }, { token: tenant.token })
  expect(await placesOf(tenant)).toEqual(['api/prod R', 'web/prod A', 'web/prod b'])
})

test('a list of rolls has labels, the numbers of pins and rules, and no seed', async () => {
  const tenant = await newTenant(testEnv)
  const rules = [{ when: { plan: { equals: 'pro' } }, then: 'a' }]
  const pins = { a: ['seed-canary-1', 'seed-canary-2'], b: ['seed-canary-3'] }
  const labels = { a: 'on', b: 'off' }
  await write(testEnv, tenant, [roll('PLAIN', 0.5), { ...roll('TARGETED', 0), labels, rules, pins }])
  const { rolls } = await rollsOf(tenant)
  expect(rolls.map(({ name, labels: names, pinned, ruleCount }) => [name, names, pinned, ruleCount])).toEqual([
    ['PLAIN', undefined, undefined, undefined],
    ['TARGETED', labels, { a: 2, b: 1 }, 1],
  ])
  expect(JSON.stringify(rolls)).not.toContain('canary')
})

test('rolls come in pages, each after the last roll of the one before', async () => {
  const tenant = await newTenant(testEnv)
  const names = Array.from({ length: 300 }, (_, index) => `N${String(index).padStart(3, '0')}`)
  await write(
    testEnv,
    tenant,
    names.map((name) => roll(name, 0.5)),
  )
  const read: string[] = []
  let after: object | undefined
  let sizes = ''
  for (let more = true; more;) {
    const page = await rollsOf(tenant, { limit: 130, ...(after && { after }) })
    read.push(...page.rolls.map(({ name }) => name))
    const { projectSlug, stageSlug, name } = page.rolls.at(-1) as Roll
    after = { projectSlug, stageSlug, name }
    sizes += `${page.rolls.length} `
    ;({ more } = page)
  }
  expect([read, sizes]).toEqual([names, '130 130 40 '])
  expect((await rollsOf(tenant)).rolls).toHaveLength(300)
  expect(await placesOf(tenant, { after: { projectSlug: 'zzz', stageSlug: 'prod', name: 'A' } })).toEqual([])
  for (const wrong of [{ limit: 0 }, { limit: 1_001 }, { after: 'N001' }, { after: { projectSlug: 'shop' } }]) {
    const input = { orgSlug: tenant.at.orgSlug, ...wrong }
    const { body } = await testEnv.client.call('rolls', input, { token: tenant.token })
    expect(body.error.code).toBe('INVALID_REQUEST')
  }
})

test('a service token sees the rolls within its scope', async () => {
  const tenant = await newOwner(testEnv)
  for (const [projectSlug, stageSlug] of [
    ['api', 'prod'],
    ['web', 'dev'],
    ['web', 'prod'],
  ] as const) {
    await write(testEnv, tenantAt(tenant, { projectSlug, stageSlug }), [roll('R', 0.5)])
  }
  const seen = async (scope: object) => {
    const { token } = await newServiceToken(testEnv, tenant, { readOnly: true, ...scope })
    return placesOf({ ...tenant, token })
  }
  expect(await seen({})).toEqual(['api/prod R', 'web/dev R', 'web/prod R'])
  expect(await seen({ projectSlug: 'web' })).toEqual(['web/dev R', 'web/prod R'])
  expect(await seen({ projectSlug: 'web', stageSlug: 'dev' })).toEqual(['web/dev R'])
})

test('a roll counts what was served in 30 days, and at its chance in the hours without another', async () => {
  // 90 minutes before midnight, so that hours of two days count.
  const start = Math.ceil(testEnv.clock.now() / day) * day + day - 1.5 * hour
  testEnv.clock.freezeAt(start)
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [roll('R', 1)])
  await serve(tenant, 1)
  const only = async (now: TestTenant): Promise<object> => {
    await testEnv.restart()
    return (await rollsOf(now)).rolls[0] as object
  }
  // The hour of its creation had no other chance.
  const created = { chanceSinceMs: start, served: { a: 1, b: 0 }, sinceChance: { a: 1, b: 0 } }
  expect(await only(tenant)).toMatchObject(created)
  let now = await at(start + hour / 4, tenant)
  await testEnv.client.must('update', { ...now.at, updates: [{ name: 'R', chance: 0 }] }, now)
  await serve(now, 2)
  // The hour of the change had two chances.
  const chanceSinceMs = start + hour / 4
  expect(await only(now)).toMatchObject({
    chance: 0,
    chanceSinceMs,
    served: { a: 1, b: 2 },
    sinceChance: { a: 0, b: 0 },
  })
  now = await at(start + hour, tenant)
  await serve(now, 4)
  // Another write with the same chance changes neither.
  await write(testEnv, now, [roll('R', 0, 'new A', 'new B')])
  now = await at(start + 2 * hour, tenant)
  await serve(now, 8)
  const later = { updatedAtMs: start + hour, chanceSinceMs, served: { a: 1, b: 14 }, sinceChance: { a: 0, b: 12 } }
  expect(await only(now)).toMatchObject(later)
  now = await at(start + 29 * day, tenant)
  expect(await only(now)).toMatchObject(later)
  // The day of the first hours is the 31st.
  now = await at(start + 30 * day, tenant)
  expect(await only(now)).toMatchObject({ served: { a: 0, b: 8 }, sinceChance: { a: 0, b: 12 } })
  testEnv.clock.run()
})

test('the chance of a roll that was deleted and created again is that of the new one', async () => {
  const start = Math.ceil(testEnv.clock.now() / day) * day
  testEnv.clock.freezeAt(start)
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [roll('R', 0.5)])
  const now = await at(start + day, tenant)
  await write(testEnv, now, [], { deletes: ['R'] })
  await write(testEnv, now, [roll('R', 0.5)])
  expect((await rollsOf(now)).rolls).toMatchObject([{ createdAtMs: start + day, chanceSinceMs: start + day }])
  testEnv.clock.run()
})
