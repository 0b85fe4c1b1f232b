/** The provider with the real service, over HTTP. */
import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { roll, secret } from '../../server/testkit/entries.ts'
import { newTenant, useTestEnv, write, type TestTenant } from '../../server/testkit/test-env.ts'
import { RollkeyProvider } from '../src/index.ts'

const testEnv = useTestEnv()
let tenant: TestTenant

beforeAll(async () => {
  tenant = await newTenant(testEnv)
})
afterAll(() => OpenFeature.clearProviders())

function providerOf({ at: { orgSlug, projectSlug, stageSlug }, token }: TestTenant): RollkeyProvider {
  const place = { org: orgSlug, project: projectSlug, stage: stageSlug }
  return new RollkeyProvider({ url: testEnv.app.url, ...place, token }, { key: 'experiment', intervalMs: 3_600_000 })
}

test('flags, a roll with the decision of the service, and a change', async () => {
  await write(testEnv, tenant, [secret('LIMIT', '12', 'int64'), roll('ROLL', 0.5)])
  await OpenFeature.setProviderAndWait('real', providerOf(tenant))
  const client = OpenFeature.getClient('real')
  expect(await client.getNumberDetails('LIMIT', 0)).toMatchObject({ value: 12, reason: 'STATIC' })
  for (const seed of ['user-1', 'user-2', 'user-3', 'user-4']) {
    const request = { ...tenant.at, name: 'ROLL', seed, key: 'experiment' }
    const { value, decision } = await testEnv.client.must('evaluate', request, { token: tenant.token })
    const details = await client.getStringDetails('ROLL', 'default', { targetingKey: seed })
    expect(details).toMatchObject({ value, variant: decision, reason: 'SPLIT' })
  }
  const changed = vi.fn<(details?: object) => void>()
  client.addHandler(ProviderEvents.ConfigurationChanged, changed)
  // A change before the stream is open does not say which flags it is about.
  const named = expect.objectContaining({ flagsChanged: ['LIMIT'] })
  let limit = 12
  const change = async (): Promise<unknown> => {
    await write(testEnv, tenant, [secret('LIMIT', String(++limit), 'int64')])
    await expect.poll(() => changed).toHaveBeenCalled()
    const [details] = changed.mock.lastCall ?? []
    changed.mockClear()
    return details
  }
  await expect.poll(change).toEqual(named)
  await expect.poll(() => client.getNumberValue('LIMIT', 0)).toBe(limit)
})

test('an unknown token is fatal', async () => {
  const provider = providerOf({ ...tenant, token: `svc_at_${'A'.repeat(43)}` })
  await expect(provider.initialize()).rejects.toMatchObject({ code: 'PROVIDER_FATAL' })
})
