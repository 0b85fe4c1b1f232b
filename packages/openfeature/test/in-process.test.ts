/** The provider that decides in the process, against the in-memory service. */
import { ProviderEvents, type EvaluationContext } from '@openfeature/server-sdk'
import type { Fetch } from '@rollkey/sdk'
import { createTestService, type TestService } from '@rollkey/sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RollkeyProvider, type RollkeyProviderOptions } from '../src/index.ts'

const labels = { a: 'new', b: 'old' }
const providers: RollkeyProvider[] = []
let service: TestService

beforeEach(() => {
  service = createTestService({
    variables: {
      SECRET: 'canary',
      TEXT: { value: 'shown', exposure: 'plain' },
      ON: { a: true, b: false, chance: 1, labels, rules: [{ when: { plan: { in: ['pro'] } }, then: 'b' }] },
      ROLL: { a: 'a', b: 'b', chance: 0.5, pins: { a: ['ann'] } },
    },
  })
})
afterEach(() => Promise.all(providers.splice(0).map((provider) => provider.onClose())))

/** Returns a provider of a service without streams, which it polls. */
function unstarted(options: RollkeyProviderOptions, fetch: Fetch = service.options.fetch!): RollkeyProvider {
  const polled: Fetch = async (url, init) =>
    url.includes('/v1/events') ? new Response(null, { status: 404 }) : fetch(url, init)
  const provider = new RollkeyProvider(
    { ...service.options, fetch: polled, retry: false },
    { intervalMs: 5, ...options },
  )
  providers.push(provider)
  return provider
}

async function started(options: RollkeyProviderOptions = {}, fetch?: Fetch): Promise<RollkeyProvider> {
  const provider = unstarted({ decide: 'in-process', ...options }, fetch)
  await provider.initialize()
  return provider
}

function eventsOf(provider: RollkeyProvider): string[] {
  const seen: string[] = []
  for (const event of Object.values(ProviderEvents)) provider.events.addHandler(event, () => void seen.push(event))
  return seen
}

const evaluations = (): number => service.requests.filter(({ operation }) => operation.startsWith('evaluate')).length

test('gives the details of the service, and asks it only for what the ruleset does not have', async () => {
  const local = await started()
  const remote = await started({ decide: 'service' })
  const contexts: EvaluationContext[] = [
    { targetingKey: 'ann' },
    ...Array.from({ length: 20 }, (_, at) => ({ targetingKey: `user-${at}`, ...(at % 2 === 0 && { plan: 'pro' }) })),
  ]
  for (const context of contexts) {
    const before = evaluations()
    const details = [
      await local.resolveBooleanEvaluation('ON', false, context),
      await local.resolveStringEvaluation('ROLL', '', context),
      await local.resolveStringEvaluation('TEXT', '', context),
    ]
    expect(evaluations()).toBe(before)
    expect(details).toEqual([
      await remote.resolveBooleanEvaluation('ON', false, context),
      await remote.resolveStringEvaluation('ROLL', '', context),
      await remote.resolveStringEvaluation('TEXT', '', context),
    ])
  }
  expect(await local.resolveStringEvaluation('SECRET', '', {})).toMatchObject({ value: 'canary' })
})

test('gives the errors of the service', async () => {
  const local = await started()
  const codes: unknown[] = []
  for (const resolve of [
    () => local.resolveStringEvaluation('NONE', '', {}),
    () => local.resolveNumberEvaluation('TEXT', 0, {}),
    () => local.resolveStringEvaluation('ROLL', '', {}),
  ])
    codes.push(await resolve().catch(({ code }: { code: string }) => code))
  expect(codes).toEqual(['FLAG_NOT_FOUND', 'TYPE_MISMATCH', 'TARGETING_KEY_MISSING'])
})

test('emits a change, an outage and its end, and goes on deciding', async () => {
  let isLost = false
  const provider = await started({}, (url, init) =>
    isLost ? Promise.reject(new TypeError('fetch failed')) : service.options.fetch!(url, init),
  )
  const events = eventsOf(provider)
  service.set('TEXT', { value: 'other', exposure: 'plain' })
  await expect.poll(() => events).toEqual(['PROVIDER_CONFIGURATION_CHANGED'])
  isLost = true
  await expect.poll(() => events.slice(1)).toEqual(['PROVIDER_STALE'])
  expect(await provider.resolveStringEvaluation('TEXT', '', {})).toMatchObject({ value: 'other', reason: 'STALE' })
  isLost = false
  await expect.poll(() => events.slice(1)).toEqual(['PROVIDER_STALE', 'PROVIDER_READY'])
  await expect
    .poll(() => provider.resolveStringEvaluation('TEXT', '', {}))
    .toMatchObject({ value: 'other', reason: 'STATIC' })
})

test('emits an error while the credential is refused, and decides nothing then', async () => {
  let isRefused = false
  const provider = await started({}, (url, init) => {
    if (isRefused) service.failNext('UNAUTHORIZED')
    return service.options.fetch!(url, init)
  })
  const events = eventsOf(provider)
  isRefused = true
  await expect.poll(() => events).toEqual(['PROVIDER_ERROR'])
  await expect(provider.resolveStringEvaluation('TEXT', '', {})).rejects.toMatchObject({ code: 'GENERAL' })
  isRefused = false
  await expect.poll(() => events).toContain('PROVIDER_READY')
  await expect
    .poll(() => provider.resolveStringEvaluation('TEXT', '', {}).catch(String))
    .toMatchObject({ value: 'shown' })
})

test('that starts without the service becomes ready and decides when it is back', async () => {
  let isLost = true
  const provider = unstarted({ decide: 'in-process' }, (url, init) =>
    isLost ? Promise.reject(new TypeError('fetch failed')) : service.options.fetch!(url, init),
  )
  const events = eventsOf(provider)
  await expect(provider.initialize()).rejects.toMatchObject({ code: 'GENERAL' })
  isLost = false
  await expect.poll(() => events).toContain('PROVIDER_READY')
  const isLocal = async (): Promise<boolean> => {
    const before = evaluations()
    await provider.resolveStringEvaluation('TEXT', '', {})
    return evaluations() === before
  }
  await expect.poll(isLocal).toBe(true)
})

test('reports its decisions when it is closed', async () => {
  const provider = await started()
  await provider.resolveBooleanEvaluation('ON', false, { targetingKey: 'u' })
  await provider.onClose()
  const [report] = service.requests.filter(({ operation }) => operation === 'report')
  expect(report?.body['decisions']).toEqual([{ name: 'ON', decision: 'a', step: 'chance', chance: 1, count: 1 }])
})
