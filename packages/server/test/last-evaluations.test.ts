import { expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { query } from '../testkit/store.ts'
import { newTenant, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const dayMs = 86_400_000
const testEnv = useTestEnv()

/** Returns the last days of evaluation by name, after a stop has stored them. */
async function daysOf({ at, user }: TestTenant): Promise<Record<string, string | undefined>> {
  await testEnv.restart()
  const token = await testEnv.provider.tokenOf(user)
  const { variables } = await testEnv.client.must('list', at, { token })
  const listed = variables as { name: string; lastEvaluatedDay?: string }[]
  return Object.fromEntries(listed.map(({ name, lastEvaluatedDay }) => [name, lastEvaluatedDay]))
}

const dayAfter = (days: number): string => new Date(testEnv.clock.now() + days * dayMs).toISOString().slice(0, 10)

async function evaluate({ at, user }: TestTenant, name: string): Promise<void> {
  await testEnv.client.must('evaluate', { ...at, name }, { token: await testEnv.provider.tokenOf(user) })
}

test('a list says on which day each variable was last evaluated, in a batch and a pull too', async () => {
  testEnv.clock.freezeAt(Math.floor(testEnv.clock.now() / dayMs) * dayMs + dayMs / 2)
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [secret('A', 'a'), roll('R', 0.5), secret('UNUSED', 'u')])
  expect(await daysOf(tenant)).toEqual({ A: undefined, R: undefined, UNUSED: undefined })
  const entries = [{ name: 'R' }]
  await testEnv.client.must('evaluateBatch', { ...tenant.at, entries }, { token: tenant.token })
  await evaluate(tenant, 'A')
  const first = dayAfter(0)
  expect(await daysOf(tenant)).toEqual({ A: first, R: first, UNUSED: undefined })

  testEnv.clock.advance(dayMs)
  await evaluate(tenant, 'A')
  expect(await daysOf(tenant)).toEqual({ A: dayAfter(0), R: first, UNUSED: undefined })
  await testEnv.client.must('pull', tenant.at, { token: await testEnv.provider.tokenOf(tenant.user) })
  const second = dayAfter(0)
  expect(await daysOf(tenant)).toEqual({ A: second, R: second, UNUSED: second })
  testEnv.clock.run()
})

test('a variable that is created again was not evaluated', async () => {
  testEnv.clock.freezeAt(testEnv.clock.now())
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [secret('A', 'a')])
  await evaluate(tenant, 'A')
  expect(await daysOf(tenant)).toEqual({ A: dayAfter(0) })
  await write(testEnv, tenant, [], { deletes: ['A'] })
  testEnv.clock.advance(dayMs)
  const again = { ...tenant, token: await testEnv.provider.tokenOf(tenant.user) }
  await write(testEnv, again, [secret('A', 'again')])
  expect(await daysOf(tenant)).toEqual({ A: undefined })
  testEnv.clock.run()
})

test('a variable that is older than the record counts as evaluated when it began', async () => {
  testEnv.clock.freezeAt(testEnv.clock.now())
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, [secret('A', 'a')])
  const upgradedAtMs = testEnv.clock.now() + 3 * dayMs
  const upgrade = `update migrations set applied_at_ms = $1 where name like '%-last-evaluations.sql'`
  await query(testEnv.app.dataDir, upgrade, upgradedAtMs)
  testEnv.clock.advance(5 * dayMs)
  const later = { ...tenant, token: await testEnv.provider.tokenOf(tenant.user) }
  await write(testEnv, later, [secret('NEW', 'n')])
  expect(await daysOf(tenant)).toEqual({ A: dayAfter(-2), NEW: undefined })
  testEnv.clock.run()
})
