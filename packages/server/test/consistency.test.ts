/** Tests that readers never see half a write and always see what was acknowledged before they asked. */
import { expect, test } from 'vitest'
import { secret } from '../testkit/entries.ts'
import { isLong } from '../testkit/long.ts'
import { newTenant, useTestEnv, write } from '../testkit/test-env.ts'

const testEnv = useTestEnv()

const rounds = isLong ? 60 : 15
const names = ['A', 'B', 'C', 'D', 'E']

test('2 writers and 8 readers: every pull shows one write, none older than the last acknowledged one', async () => {
  const tenant = await newTenant(testEnv)
  await write(testEnv, tenant, names.map((name) => secret(name, '1'))) // prettier-ignore
  const seen = { acknowledged: 1, writersDone: 0 }
  const writer = async (): Promise<void> => {
    for (let i = 0; i < rounds; i++) {
      const value = crypto.randomUUID()
      const { revision } = await write(testEnv, tenant, names.map((name) => secret(name, value))) // prettier-ignore
      seen.acknowledged = Math.max(seen.acknowledged, revision as number)
    }
    seen.writersDone++
  }
  let pulls = 0
  const reader = async (): Promise<void> => {
    while (seen.writersDone < 2) {
      const before = seen.acknowledged
      const { variables, revision } = await testEnv.client.must('pull', tenant.at, { token: tenant.token })
      expect(new Set(Object.values(variables as object)).size).toBe(1)
      expect(revision).toBeGreaterThanOrEqual(before)
      pulls++
    }
  }
  await Promise.all([writer(), writer(), ...Array.from({ length: 8 }, reader)])
  expect(seen.acknowledged).toBe(1 + 2 * rounds)
  expect(pulls).toBeGreaterThan(rounds)
})

test('a value is current for all readers as soon as its write is acknowledged', async () => {
  const tenant = await newTenant(testEnv)
  for (let i = 0; i < rounds; i++) {
    await write(testEnv, tenant, [secret('A', String(i))])
    const evaluate = () => testEnv.client.must('evaluate', { ...tenant.at, name: 'A' }, { token: tenant.token })
    for (const { value } of await Promise.all(Array.from({ length: 8 }, evaluate))) expect(value).toBe(String(i))
  }
})

test('a logout takes effect at once, also for requests that load the session at the same moment', async () => {
  for (let i = 0; i < (isLong ? 20 : 5); i++) {
    const { token, refreshToken } = await newTenant(testEnv)
    const calls = Array.from({ length: 8 }, () => testEnv.client.call('session', {}, { token }))
    await testEnv.client.must('logout', { refreshToken }, { token })
    const after = await testEnv.client.call('session', {}, { token })
    expect(after.status).toBe(401)
    await Promise.all(calls)
  }
})
