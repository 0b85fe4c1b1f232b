import { expect, test } from 'vitest'
import { startTestApp } from '../testkit/app.ts'
import { roll, secret } from '../testkit/entries.ts'
import { newTenant, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const hour = 3_600_000
const testEnv = useTestEnv()

/** Returns the counts that a stop stores. */
async function countsOf({ at, token }: TestTenant, more: object = {}): Promise<object[]> {
  await testEnv.restart()
  return (await testEnv.client.must('rollCounts', { ...at, name: 'R', ...more }, { token })).hours as object[]
}

function evaluate({ at, token }: TestTenant, more: object = {}) {
  return testEnv.client.must('evaluate', { ...at, name: 'R', ...more }, { token })
}

function thisHour(): number {
  return Math.floor(testEnv.clock.now() / hour) * hour
}

test('roll counts cover what evaluate, batch and pull served by variable and hour, across restarts and nodes', async () => {
  // Starts well within an hour, so that the test does not cross its end.
  testEnv.clock.freezeAt(thisHour() + 10 * 60_000)
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [roll('R', 1), roll('OTHER', 0), secret('S', 's')])
  for (let i = 0; i < 3; i++) await evaluate(tenant)
  const entries = [{ name: 'R' }, { name: 'S' }, { name: 'R' }]
  await testEnv.client.must('evaluateBatch', { ...tenant.at, entries }, { token: tenant.token })
  for (let i = 0; i < 2; i++) await testEnv.client.must('pull', tenant.at, { token: tenant.token })
  const fromMs = thisHour()
  expect(await countsOf(tenant)).toEqual([{ fromMs, a: 7, b: 0, chance: 1 }])
  expect(await countsOf(tenant, { name: 'OTHER' })).toEqual([{ fromMs, a: 0, b: 2, chance: 0 }])
  expect(await countsOf(tenant, { name: 'S' })).toEqual([])
  await evaluate(tenant)
  expect(await countsOf(tenant)).toEqual([{ fromMs, a: 8, b: 0, chance: 1 }])
  testEnv.clock.run()
})

test('roll counts are separate by hour, include the chance if it stayed the same, and can be limited to a range', async () => {
  testEnv.clock.freezeAt(thisHour() + 10 * 60_000)
  const tenant = await newTenant(testEnv)
  const first = thisHour()
  await write(testEnv, tenant, [roll('R', 1)])
  await evaluate(tenant)
  const later = async (): Promise<TestTenant> => {
    testEnv.clock.advance(hour)
    return { ...tenant, token: await testEnv.provider.tokenOf(tenant.user) }
  }
  const second = await later()
  await evaluate(second)
  await testEnv.client.must('update', { ...tenant.at, updates: [{ name: 'R', chance: 0 }] }, second)
  await evaluate(second)
  const third = await later()
  await evaluate(third)
  const [one, two, three] = [
    { fromMs: first, a: 1, b: 0, chance: 1 },
    { fromMs: first + hour, a: 1, b: 1 },
    { fromMs: first + 2 * hour, a: 0, b: 1, chance: 0 },
  ]
  expect(await countsOf(third)).toEqual([one, two, three])
  expect(await countsOf(third, { fromMs: first + 1, toMs: first + 2 * hour })).toEqual([two])
  testEnv.clock.run()
})

test('roll counts exclude refused evaluations and those repeated by a request key', async () => {
  const app = await startTestApp({ PLAN: 'free', FREE_EVALUATIONS: '2' }, { provider: testEnv.provider })
  const tenant = await newTenant(app)
  await write(app, tenant, [roll('R', 1)])
  const call = (key: string) => {
    const headers = { 'x-service-request-key': key }
    return app.client.call('evaluate', { ...tenant.at, name: 'R' }, { token: tenant.token, headers })
  }
  const statuses: number[] = []
  for (const key of ['one', 'one', 'two', 'three', 'two']) statuses.push((await call(key)).status)
  expect(statuses).toEqual([200, 200, 200, 402, 200])
  const pulled = await app.client.call('pull', tenant.at, { token: tenant.token })
  expect(pulled.status).toBe(402)
  const again = await app.restart()
  const { hours } = await again.client.must('rollCounts', { ...tenant.at, name: 'R' }, { token: tenant.token })
  expect(hours).toMatchObject([{ a: 2, b: 0 }])
  await again.close()
})

test('roll counts are refused for a variable that does not exist', async () => {
  const tenant = await newTenant(testEnv)
  const { status, body } = await testEnv.client.call('rollCounts', { ...tenant.at, name: 'R' }, { token: tenant.token })
  expect([status, body.error.code]).toEqual([404, 'VARIABLE_NOT_FOUND'])
})
