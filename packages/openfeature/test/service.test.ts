/** The provider with the real service, over HTTP. */
import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { roll, secret } from '../../server/testkit/entries.ts'
import { newTenant, useTestEnv, write, type TestTenant } from '../../server/testkit/test-env.ts'
import { RollkeyProvider, type RollkeyProviderOptions } from '../src/index.ts'

const testEnv = useTestEnv()
let tenant: TestTenant

beforeAll(async () => {
  tenant = await newTenant(testEnv)
})
afterAll(() => OpenFeature.clearProviders())

function providerOf(
  { at: { orgSlug, projectSlug, stageSlug }, token }: TestTenant,
  options: RollkeyProviderOptions = {},
): RollkeyProvider {
  const place = { org: orgSlug, project: projectSlug, stage: stageSlug }
  const { url } = testEnv.app
  return new RollkeyProvider({ url, ...place, token }, { key: 'experiment', intervalMs: 3_600_000, ...options })
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

test('a secret that is being rotated has its old or its new value, also without a targeting key', async () => {
  await write(testEnv, tenant, [secret('KEY', 'old'), roll('OTHER', 0.5)])
  const steps = [0.5, 1].map((chance, hours) => ({ atMs: testEnv.clock.now() + hours * 3_600_000, chance }))
  const ramp = { name: 'KEY', value: 'new', steps }
  await testEnv.client.must('changePropose', { ...tenant.at, reason: 'due', ramp }, { token: tenant.token })
  const listed = () => testEnv.client.must('list', tenant.at, { token: tenant.token })
  await expect
    .poll(listed)
    .toMatchObject({ variables: expect.arrayContaining([expect.objectContaining({ rotating: true })]) })
  for (const options of [{}, { decide: 'in-process', local: { names: ['KEY'] } }] as const) {
    // With a key, a request without a targeting key would not be random.
    const provider = providerOf(tenant, { key: '', ...options })
    await provider.initialize()
    // The chance of 60 equal values is 2^-59.
    const seen = new Set<string>()
    for (let asked = 0; asked < 60; asked++)
      seen.add((await provider.resolveStringEvaluation('KEY', 'default', {})).value)
    expect([options, [...seen].toSorted()]).toEqual([options, ['new', 'old']])
    const refused = provider.resolveStringEvaluation('OTHER', 'default', {})
    await expect(refused).rejects.toMatchObject({ code: 'TARGETING_KEY_MISSING' })
    await provider.onClose()
  }
})

test('an unknown token is fatal', async () => {
  const provider = providerOf({ ...tenant, token: `svc_at_${'A'.repeat(43)}` })
  await expect(provider.initialize()).rejects.toMatchObject({ code: 'PROVIDER_FATAL' })
})
