/**
 * The behavior that OpenFeature expects of a provider, tested with its own scenarios and flags: appendix B of its
 * specification (evaluation.feature, evaluation_v2.feature) and appendix F (provider-tck: evaluation, errors, reason,
 * lifecycle, events and metadata.feature). Tests have the names of the scenarios.
 *
 * These capabilities of appendix F do not apply:
 * - disabled-flags, and the reasons DISABLED and DEFAULT: a variable has no state, and a roll always decides.
 * - named variants of a secret: it has one value, whose variant is default. A roll has the labels of its sides, or a and b.
 * - numeric-coercion: OpenFeature for JavaScript requests only numbers, whole or not.
 * - metadata-flag: the service defines the metadata, so provider.test.ts tests it.
 */
import {
  OpenFeature,
  ProviderEvents,
  ProviderStatus,
  type Client,
  type EvaluationDetails,
  type FlagValue,
} from '@openfeature/server-sdk'
import type { Fetch } from '@rollkey/sdk'
import { createTestService, type TestService, type TestVariable } from '@rollkey/sdk/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RollkeyProvider } from '../src/index.ts'

const flags: Record<string, TestVariable> = {
  'boolean-flag': { value: 'true', declaredType: 'boolean' },
  'string-flag': 'hi',
  'integer-flag': { value: '10', declaredType: 'int64' },
  'float-flag': { value: '0.5', declaredType: 'float' },
  'object-flag': {
    value: '{"showImages": true, "title": "Check out these pics!", "imagesPerPage": 100}',
    declaredType: 'json',
  },
  'boolean-zero-flag': { value: 'false', declaredType: 'boolean' },
  'string-zero-flag': '',
  'integer-zero-flag': { value: '0', declaredType: 'int64' },
  'float-zero-flag': { value: '0.0', declaredType: 'float' },
  'large-integer-flag': { value: '2147483647', declaredType: 'int64' },
  'huge-integer-flag': { value: '9007199254740991', declaredType: 'int64' },
  'integral-float-flag': { value: '10.0', declaredType: 'float' },
  'wrong-flag': 'uno',
  'changing-flag': 'foo',
  // A pin replaces the rule, since rules do not read the targeting key.
  'targeting-key-flag': {
    a: 'hit',
    b: 'miss',
    chance: 0,
    labels: { a: 'hit', b: 'miss' },
    pins: { a: ['5c3d8535-f81a-4478-a6d3-afaa4d51199e'] },
  },
}

const pictures = { showImages: true, title: 'Check out these pics!', imagesPerPage: 100 }

let service: TestService
let client: Client

async function use(provider: RollkeyProvider): Promise<void> {
  client = OpenFeature.getClient('conformance')
  await OpenFeature.setProviderAndWait('conformance', provider)
}

beforeEach(async () => {
  service = createTestService({ variables: flags })
  await use(new RollkeyProvider(service.options, { intervalMs: 5 }))
})
afterEach(() => OpenFeature.clearProviders())

/** Evaluates a flag by the type of its default value. */
function evaluated(key: string, defaultValue: FlagValue, context = {}): Promise<EvaluationDetails<FlagValue>> {
  if (typeof defaultValue === 'boolean') return client.getBooleanDetails(key, defaultValue, context)
  if (typeof defaultValue === 'string') return client.getStringDetails(key, defaultValue, context)
  if (typeof defaultValue === 'number') return client.getNumberDetails(key, defaultValue, context)
  return client.getObjectDetails(key, defaultValue, context)
}

describe('evaluation', () => {
  test.each<[key: string, fallback: FlagValue, value: FlagValue]>([
    ['boolean-flag', false, true],
    ['string-flag', 'bye', 'hi'],
    ['integer-flag', 1, 10],
    ['float-flag', 0.1, 0.5],
    ['object-flag', {}, pictures],
  ])('Resolve values with reason: %s', async (flagKey, fallback, value) => {
    const details = await evaluated(flagKey, fallback)
    expect(details).toMatchObject({ flagKey, value, reason: 'STATIC' })
    expect(details.errorCode ?? details.errorMessage).toBeUndefined()
  })

  test('Resolves boolean, string, integer, float and object value', async () => {
    expect(await client.getBooleanValue('boolean-flag', false)).toBe(true)
    expect(await client.getStringValue('string-flag', 'bye')).toBe('hi')
    expect(await client.getNumberValue('integer-flag', 1)).toBe(10)
    expect(await client.getNumberValue('float-flag', 0.1)).toBe(0.5)
    expect(await client.getObjectValue('object-flag', null)).toEqual(pictures)
  })

  test.each<[key: string, fallback: FlagValue, value: FlagValue]>([
    ['boolean-zero-flag', true, false],
    ['string-zero-flag', 'fallback', ''],
    ['integer-zero-flag', 1, 0],
    ['float-zero-flag', 0.1, 0],
  ])('A falsy value is a value, not an absence: %s', async (key, fallback, value) => {
    expect(await evaluated(key, fallback)).toMatchObject({ value, reason: 'STATIC' })
  })

  test.each([
    ['A large integer resolves without loss of precision', 'large-integer-flag', 2147483647],
    ['An integer beyond 32 bits resolves without loss of precision', 'huge-integer-flag', 9007199254740991],
    ['An integer flag resolves as an integer', 'integer-flag', 10],
    ['A float flag resolves as a float', 'float-flag', 0.5],
    ['A float without a fraction is a number like another', 'integral-float-flag', 10],
  ])('%s', async (_, key, value) => {
    expect(await evaluated(key, 1)).toMatchObject({ value, reason: 'STATIC' })
  })

  test('Supplying an evaluation context does not disturb an untargeted resolution', async () => {
    const context = { targetingKey: 'f20bd32d-703b-48b6-bc8e-79d53c85134a', email: null, age: 29, at: new Date() }
    expect(await evaluated('string-flag', 'bye', context)).toMatchObject({ value: 'hi', reason: 'STATIC' })
  })

  test.each([
    [
      'A matching evaluation context resolves the targeted variant',
      '5c3d8535-f81a-4478-a6d3-afaa4d51199e',
      'hit',
      'TARGETING_MATCH',
    ],
    [
      'A non-matching evaluation context resolves the default variant',
      'f20bd32d-703b-48b6-bc8e-79d53c85134a',
      'miss',
      'STATIC',
    ],
  ])('%s', async (_, targetingKey, value, reason) => {
    const details = await evaluated('targeting-key-flag', 'fallback', { targetingKey })
    expect(details).toMatchObject({ value, variant: value, reason })
  })
})

describe('errors', () => {
  test.each<[key: string, fallback: FlagValue]>([
    ['string-flag', false],
    ['string-flag', 1],
    ['string-flag', {}],
    ['wrong-flag', false],
    ['boolean-flag', 'fallback'],
    ['boolean-flag', 1],
    ['boolean-flag', {}],
    ['integer-flag', false],
    ['integer-flag', 'fallback'],
    ['float-flag', false],
    ['float-flag', 'fallback'],
    ['object-flag', false],
    ['object-flag', 'fallback'],
    ['object-flag', 1],
  ])('Requesting the wrong type returns the code default: %s, %j', async (key, value) => {
    expect(await evaluated(key, value)).toMatchObject({ value, reason: 'ERROR', errorCode: 'TYPE_MISMATCH' })
  })

  test.each<[fallback: FlagValue]>([[false], ['uh-oh'], [1], [0.1], [{ a: 1 }]])(
    'An unknown flag key returns the code default: %j',
    async (value) => {
      const details = await evaluated('missing-flag', value)
      expect(details).toMatchObject({ value, reason: 'ERROR', errorCode: 'FLAG_NOT_FOUND' })
    },
  )

  test.each<[key: string, fallback: FlagValue]>([
    ['boolean-flag', false],
    ['string-flag', 'bye'],
    ['integer-flag', 1],
    ['object-flag', { a: 1 }],
  ])('Provider not ready error: %s', async (key, value) => {
    const never = new RollkeyProvider({ ...service.options, fetch: () => new Promise(() => undefined) })
    OpenFeature.setProvider('conformance', never)
    expect(await evaluated(key, value)).toMatchObject({ value, reason: 'ERROR', errorCode: 'PROVIDER_NOT_READY' })
  })

  test.each<[key: string, fallback: FlagValue]>([
    ['boolean-flag', false],
    ['string-flag', 'bye'],
    ['integer-flag', 1],
    ['object-flag', { a: 1 }],
  ])('Provider in fatal state error: %s', async (key, value) => {
    await expect(use(new RollkeyProvider({ ...service.options, org: 'other' }))).rejects.toMatchObject({
      code: 'PROVIDER_FATAL',
    })
    expect(client.providerStatus).toBe(ProviderStatus.FATAL)
    expect(await evaluated(key, value)).toMatchObject({ value, reason: 'ERROR', errorCode: 'PROVIDER_FATAL' })
  })
})

describe('lifecycle', () => {
  const unreachable = (): RollkeyProvider =>
    new RollkeyProvider({ ...service.options, fetch: () => Promise.reject(new TypeError('fetch failed')) })

  test('A provider that successfully initializes becomes ready', () => {
    const ready = vi.fn<() => void>()
    client.addHandler(ProviderEvents.Ready, ready)
    expect(ready).toHaveBeenCalledOnce()
    expect(client.providerStatus).toBe(ProviderStatus.READY)
  })

  test('A provider that cannot reach its backend reports an error', async () => {
    const failed = vi.fn<() => void>()
    client.addHandler(ProviderEvents.Error, failed)
    await expect(use(unreachable())).rejects.toMatchObject({ code: 'GENERAL' })
    await expect.poll(() => failed).toHaveBeenCalledOnce()
    expect(client.providerStatus).toBe(ProviderStatus.ERROR)
  })

  test('A provider that cannot reach its backend still returns code defaults', async () => {
    await expect(use(unreachable())).rejects.toMatchObject({ code: 'GENERAL' })
    expect(await evaluated('boolean-flag', false)).toMatchObject({
      value: false,
      reason: 'ERROR',
      errorCode: 'GENERAL',
    })
  })

  test('A provider can be initialized again after its shutdown', async () => {
    const provider = new RollkeyProvider(service.options)
    await use(provider)
    await OpenFeature.clearProviders()
    await expect(provider.resolveBooleanEvaluation('boolean-flag', false, {})).rejects.toMatchObject({
      code: 'PROVIDER_NOT_READY',
    })
    await use(provider)
    expect(await client.getBooleanValue('boolean-flag', false)).toBe(true)
  })
})

describe('events', () => {
  test('A configuration change is signalled and applied', async () => {
    const changed = vi.fn<() => void>()
    await use(new RollkeyProvider({ ...service.options, cache: { ttlMs: 3_600_000 } }, { intervalMs: 5 }))
    client.addHandler(ProviderEvents.ConfigurationChanged, changed)
    expect(await client.getStringValue('changing-flag', 'unset')).toBe('foo')
    service.set('changing-flag', 'bar')
    await expect.poll(() => changed).toHaveBeenCalledOnce()
    expect(await client.getStringValue('changing-flag', 'unset')).toBe('bar')
  })

  test('Losing the backend makes the provider stale, regaining it makes it ready again', async () => {
    let isLost = false
    const fetch: Fetch = (input, init) =>
      isLost ? Promise.reject(new TypeError('fetch failed')) : service.options.fetch!(input, init)
    await use(new RollkeyProvider({ ...service.options, fetch, cache: { ttlMs: 0 } }, { intervalMs: 5 }))
    const [ready, stale] = [vi.fn<() => void>(), vi.fn<() => void>()]
    client.addHandler(ProviderEvents.Ready, ready)
    client.addHandler(ProviderEvents.Stale, stale)
    expect(await evaluated('string-flag', 'bye')).toMatchObject({ value: 'hi', reason: 'STATIC' })
    isLost = true
    expect(await evaluated('string-flag', 'bye')).toMatchObject({ value: 'hi', reason: 'STALE' })
    await expect.poll(() => stale).toHaveBeenCalledOnce()
    expect(client.providerStatus).toBe(ProviderStatus.STALE)
    isLost = false
    await expect.poll(() => ready).toHaveBeenCalledTimes(2)
    expect(client.providerStatus).toBe(ProviderStatus.READY)
  })
})

describe('metadata', () => {
  test('A provider identifies itself by name', () => {
    expect(client.metadata.providerMetadata.name).toBe('rollkey')
  })
})
