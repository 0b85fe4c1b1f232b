/** Tests OpenFeature's OFREP provider for servers, unmodified, with the service. */
import { expect, test } from 'vitest'
import { connect } from '../../../openfeature/test/ofrep/server-provider.mjs'
import { roll, secret } from '../../testkit/entries.ts'
import { pathOf } from '../../testkit/ofrep.ts'
import { newOwner, newServiceToken, newTenant, startTestEnv, useTestEnv, write } from '../../testkit/test-env.ts'

const testEnv = useTestEnv()

async function scene() {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [
    secret('TEXT', 'hi'),
    secret('FLAG', 'true', 'boolean'),
    secret('COUNT', '10', 'int64'),
    secret('RATE', '0.5', 'float'),
    secret('LAYOUT', '{"columns":3}', 'json'),
    roll('HALF', 0.5),
  ])
  const { projectSlug, stageSlug } = tenant.at
  const { token, id } = await newServiceToken(testEnv, tenant, { projectSlug, stageSlug, role: 'reader' })
  return { tenant, token: token as string, tokenId: id as string }
}

test('it gets values of each type, with either header, and below a stage', async () => {
  const { tenant, token } = await scene()
  const { url } = testEnv.app
  for (const client of [
    await connect(url, [['Authorization', `Bearer ${token}`]]),
    await connect(url, [['X-API-Key', token]]),
    await connect(`${url}${pathOf(tenant.at)}`, [['Authorization', `Bearer ${tenant.token}`]]),
  ]) {
    expect(await client.getStringDetails('TEXT', 'bye')).toMatchObject({ value: 'hi', reason: 'STATIC' })
    expect(await client.getBooleanValue('FLAG', false)).toBe(true)
    expect(await client.getNumberValue('COUNT', 1)).toBe(10)
    expect(await client.getNumberValue('RATE', 1)).toBe(0.5)
    expect(await client.getObjectValue('LAYOUT', {})).toEqual({ columns: 3 })
  }
})

test('its rolls are those of evaluate', async () => {
  const { tenant, token } = await scene()
  const client = await connect(testEnv.app.url, [['Authorization', `Bearer ${token}`]])
  for (let index = 0; index < 20; index++) {
    const [seed, key] = [`user-${index}`, 'checkout']
    const expected = await testEnv.client.must('evaluate', { ...tenant.at, name: 'HALF', seed, key }, { token })
    const details = await client.getStringDetails('HALF', 'C', { targetingKey: seed, rollKey: key, plan: 'pro' })
    expect(details).toMatchObject({ value: expected.value, variant: expected.decision, reason: 'SPLIT' })
  }
})

test('its errors are those of OpenFeature', async () => {
  const { tenant, token, tokenId } = await scene()
  const client = await connect(testEnv.app.url, [['Authorization', `Bearer ${token}`]])
  const codeOf = async (key: string, context = {}): Promise<string | undefined> =>
    (await client.getBooleanDetails(key, false, context)).errorCode
  expect(await codeOf('MISSING')).toBe('FLAG_NOT_FOUND')
  expect(await codeOf('TEXT')).toBe('TYPE_MISMATCH')
  expect(await codeOf('HALF')).toBe('TARGETING_KEY_MISSING')
  expect(await codeOf('HALF', { rollKey: 1 })).toBe('INVALID_CONTEXT')
  expect(await codeOf('FLAG')).toBeUndefined()
  await testEnv.client.must('tokenRevoke', { orgSlug: tenant.at.orgSlug, id: tokenId }, { token: tenant.token })
  expect(await codeOf('FLAG')).toBe('GENERAL')
})

test('it waits for the seconds of Retry-After', async () => {
  const limited = await startTestEnv({ RATE_LIMIT_EVALUATIONS: '1' })
  limited.clock.freezeAt(limited.clock.now())
  const tenant = await newTenant(limited)
  await write(limited, tenant, [secret('TEXT', 'hi')])
  const client = await connect(`${limited.app.url}${pathOf(tenant.at)}`, [['Authorization', `Bearer ${tenant.token}`]])
  expect(await client.getStringValue('TEXT', 'bye')).toBe('hi')
  expect(await client.getStringDetails('TEXT', 'bye')).toMatchObject({ value: 'bye', errorCode: 'GENERAL' })
  // Without another request, because the provider has understood the header.
  const { errorMessage = '' } = await client.getStringDetails('TEXT', 'bye')
  const [, until = ''] = /paused due to TooManyRequests until (\S+)/.exec(errorMessage) ?? []
  const waitMs = Date.parse(until) - Date.now()
  expect(waitMs).toBeGreaterThan(30_000)
  expect(waitMs).toBeLessThanOrEqual(60_000)
})
