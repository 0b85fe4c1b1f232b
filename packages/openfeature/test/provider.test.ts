import type { EvaluationContext, ResolutionDetails } from '@openfeature/server-sdk'
import { OpenFeature, ProviderEvents } from '@openfeature/server-sdk'
import { createClient, RollkeyError, type ClientOptions, type Fetch } from '@rollkey/sdk'
import { createTestService, type TestService } from '@rollkey/sdk/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import vectors from '../../contract/vectors/ab-roll.json' with { type: 'json' }
import { RollkeyProvider, type RollkeyProviderOptions } from '../src/index.ts'

const canary = 'canary-of-a-value'

let service: TestService
const providers: RollkeyProvider[] = []

beforeEach(() => {
  service = createTestService({
    variables: {
      TEXT: canary,
      LAUNCH: { value: '2026-11-21', declaredType: 'date' },
      ON: { value: 'true', declaredType: 'boolean' },
      HUGE: { value: '9007199254740993', declaredType: 'int64' },
      JSON: { value: '[1, null]', declaredType: 'json' },
      ROLL: { a: 'a', b: 'b', chance: 0.5 },
    },
  })
})
afterEach(() => Promise.all(providers.splice(0).map((provider) => provider.onClose())))

/** Returns the options of a service without streams, which a provider polls. */
function polled({ options }: TestService): ClientOptions {
  const fetch: Fetch = async (url, init) =>
    url.includes('/v1/events') ? new Response(null, { status: 404 }) : options.fetch!(url, init)
  return { ...options, fetch }
}

async function started(
  connection: Partial<ClientOptions> = {},
  options: RollkeyProviderOptions = {},
): Promise<RollkeyProvider> {
  const provider = unstarted(connection, options)
  await provider.initialize()
  return provider
}

function unstarted(connection: Partial<ClientOptions> = {}, options: RollkeyProviderOptions = {}): RollkeyProvider {
  const provider = new RollkeyProvider({ ...polled(service), ...connection }, { intervalMs: 5, ...options })
  providers.push(provider)
  return provider
}

/** Returns all events so far, by name. */
function eventsOf(provider: RollkeyProvider): string[] {
  const seen: string[] = []
  for (const event of Object.values(ProviderEvents)) provider.events.addHandler(event, () => void seen.push(event))
  return seen
}

function text(
  provider: RollkeyProvider,
  name: string,
  context: EvaluationContext = {},
): Promise<ResolutionDetails<string>> {
  return provider.resolveStringEvaluation(name, 'default', context)
}

/** Returns whether a request is an evaluation, the only POST of a provider. */
function isEvaluation(init: RequestInit | undefined): boolean {
  return init?.method === 'POST'
}

describe('rolls', () => {
  test.each(vectors.vectors.filter(({ seed }) => seed !== ''))(
    '$name, $seed, $key is decided as everywhere',
    async ({ name, seed, key, u }) => {
      // Just above u it is a, at u itself b.
      service.set(name, { a: 'a', b: 'b', chance: Math.min(u + Number.EPSILON, 1) })
      const provider = await started({}, { key })
      expect(await text(provider, name, { targetingKey: seed })).toMatchObject({ variant: 'a', reason: 'SPLIT' })
      service.set(name, { a: 'a', b: 'b', chance: u })
      expect(await text(provider, name, { targetingKey: seed })).toMatchObject({ variant: 'b', reason: 'SPLIT' })
    },
  )

  test.each([
    ['the key of the provider', { targetingKey: 'u' }, { seed: 'u', key: 'of the provider' }],
    ['rollKey of the context wins', { targetingKey: 'u', rollKey: 'own' }, { seed: 'u', key: 'own' }],
    ['null is absent', { targetingKey: 'u', rollKey: null }, { seed: 'u', key: 'of the provider' }],
  ])('%s', async (_, context, roll) => {
    const provider = await started({}, { key: 'of the provider' })
    await text(provider, 'ROLL', context)
    const [evaluate] = service.requests.filter(({ operation }) => operation === 'evaluate')
    expect(evaluate?.body).toMatchObject({ name: 'ROLL', ...roll })
  })

  test('without a targeting key, a roll has a value only if it is the same for everyone', async () => {
    const rules = [
      { when: { plan: { equals: 'pro' } }, then: 'a' },
      { when: { plan: { equals: 'team' } }, then: 0.5 },
    ] as const
    service.set('RULED', { a: 'a', b: 'b', chance: 0, rules })
    const provider = await started()
    const missing = { code: 'TARGETING_KEY_MISSING', message: expect.stringContaining('set targetingKey') }
    await expect(text(provider, 'ROLL')).rejects.toMatchObject(missing)
    await expect(text(provider, 'ROLL', { targetingKey: '' })).rejects.toMatchObject(missing)
    await expect(text(provider, 'RULED', { plan: 'team' })).rejects.toMatchObject(missing)
    expect(await text(provider, 'RULED', { plan: 'pro' })).toMatchObject({ value: 'a', reason: 'TARGETING_MATCH' })
    expect(await text(provider, 'RULED')).toMatchObject({ value: 'b', reason: 'STATIC' })
    expect(await text(provider, 'ROLL', { rollKey: 'experiment' })).toMatchObject({ reason: 'SPLIT' })
    const keyed = await started({}, { key: 'experiment' })
    expect(await text(keyed, 'ROLL')).toMatchObject({ reason: 'SPLIT' })
  })

  test('a roll has the label of its side as variant, the reason by what decided, and metadata', async () => {
    service.set('LABELED', {
      a: 'A',
      b: 'B',
      chance: 0.5,
      labels: { a: 'new', b: 'old' },
      pins: { a: ['pinned'], b: [] },
      rules: [
        { when: { plan: { equals: 'pro' } }, then: 'b' },
        { when: { plan: { equals: 'team' } }, then: 1 },
      ],
    })
    const provider = await started()
    const detailsOf = async (context: EvaluationContext): Promise<unknown[]> => {
      const { value, variant, reason, flagMetadata } = await text(provider, 'LABELED', context)
      return [value, variant, reason, flagMetadata]
    }
    const kind = 'ab_roll'
    const matched = 'TARGETING_MATCH'
    expect(await detailsOf({ targetingKey: 'pinned' })).toEqual(['A', 'new', matched, { kind, step: 'pin' }])
    const pro = { targetingKey: 'u', plan: 'pro' }
    expect(await detailsOf(pro)).toEqual(['B', 'old', matched, { kind, step: 'rule', rule: 1 }])
    expect(await detailsOf({ ...pro, plan: 'team' })).toEqual(['A', 'new', matched, { kind, step: 'rule', rule: 2 }])
    const [, variant, ...byChance] = await detailsOf({ targetingKey: 'u' })
    expect(['new', 'old']).toContain(variant)
    expect(byChance).toEqual(['SPLIT', { kind, step: 'chance' }])
    for (const chance of [0, 1]) {
      service.set('LABELED', { a: 'A', b: 'B', chance })
      expect(await text(provider, 'LABELED', { targetingKey: 'u' })).toMatchObject({ reason: 'STATIC' })
    }
  })

  test('sends what a targeting rule can read of the context, dates as text, and nothing else', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const context = {
      targetingKey: 'u',
      rollKey: 'k',
      plan: 'pro',
      age: 42,
      beta: false,
      since: new Date('2027-01-31T08:00:00Z'),
      never: new Date(Number.NaN),
      nothing: null,
      groups: ['a'],
      circular,
    }
    service.set('ROLL', {
      a: 'a',
      b: 'b',
      chance: 0,
      rules: [{ when: { plan: { equals: 'pro' }, since: { before: '2027-02-01' } }, then: 'a' }],
    })
    const provider = await started()
    expect(await text(provider, 'ROLL', context as never)).toMatchObject({ variant: 'a' })
    const { body } = service.requests.findLast(({ operation }) => operation === 'evaluate') ?? {}
    const read = { plan: 'pro', age: 42, beta: false, since: '2027-01-31T08:00:00.000Z' }
    expect(body).toMatchObject({ seed: 'u', key: 'k', context: read })
    expect(Object.keys(body?.['context'] as object)).toEqual(Object.keys(read))
    expect(await text(provider, 'ROLL', { targetingKey: 'u', plan: 'free' })).toMatchObject({ variant: 'b' })
  })

  test.each([{ targetingKey: 7 }, { rollKey: ['k'] }])('%j is not a valid context for a roll', async (context) => {
    const provider = await started()
    await expect(text(provider, 'ROLL', context as unknown as EvaluationContext)).rejects.toMatchObject({
      code: 'INVALID_CONTEXT',
      message: expect.stringMatching(/ must be a string, not (number|object): convert it/),
    })
  })
})

describe('values', () => {
  test('a date is a text, and JSON may be any JSON value', async () => {
    const provider = await started()
    expect((await text(provider, 'LAUNCH')).value).toBe('2026-11-21')
    expect((await provider.resolveObjectEvaluation('JSON', null, {})).value).toEqual([1, null])
  })

  test('an integer that a number cannot hold is a mismatch, not another integer', async () => {
    const provider = await started()
    await expect(provider.resolveNumberEvaluation('HUGE', 0, {})).rejects.toMatchObject({
      code: 'TYPE_MISMATCH',
      message: expect.stringContaining('beyond 2^53'),
    })
  })

  test('a mismatch names the variable, its type and the type to request, not its value', async () => {
    const provider = await started()
    const error: unknown = await provider.resolveBooleanEvaluation('TEXT', false, {}).catch((reason: unknown) => reason)
    expect(String(error)).toMatch(/TEXT is untyped .*: request a flag of type string\.$/)
    expect(JSON.stringify(error) + String(error)).not.toContain(canary)
  })

  test('kind and declared type are in the metadata, and a cached value has the reason CACHED', async () => {
    const provider = await started({ cache: {} })
    expect(await provider.resolveBooleanEvaluation('ON', false, {})).toEqual({
      value: true,
      reason: 'STATIC',
      variant: 'default',
      flagMetadata: { kind: 'secret', declaredType: 'boolean' },
    })
    const context = { targetingKey: 'user-1' }
    const first = await text(provider, 'ROLL', context)
    expect(first).toMatchObject({ reason: 'SPLIT', flagMetadata: { kind: 'ab_roll' } })
    expect(await text(provider, 'ROLL', context)).toEqual({ ...first, reason: 'CACHED' })
  })
})

describe('errors', () => {
  test.each([
    ['EVALUATION_FAILED', 'GENERAL'],
    ['USAGE_LIMIT_EXCEEDED', 'GENERAL'],
    ['UNREACHABLE', 'GENERAL'],
    ['VARIABLE_NOT_FOUND', 'FLAG_NOT_FOUND'],
  ] as const)('%s of an evaluation is %s', async (code, expected) => {
    const provider = await started({ retry: false }, { intervalMs: 3_600_000 })
    service.failNext(code)
    await expect(text(provider, 'TEXT')).rejects.toMatchObject({ code: expected, cause: expect.any(RollkeyError) })
  })

  test('an answer that violates the contract is PARSE_ERROR', async () => {
    const fetch: Fetch = async (input, init) =>
      isEvaluation(init) ? new Response('<html>') : polled(service).fetch!(input, init)
    await expect(text(await started({ fetch }), 'TEXT')).rejects.toMatchObject({ code: 'PARSE_ERROR' })
  })

  test.each<[what: string, place: Partial<ClientOptions>]>([
    ['organization', { org: 'other' }],
    ['project', { project: 'tset' }],
    ['stage', { stage: 'tset' }],
  ])('a start with a wrong %s is PROVIDER_FATAL and ends all requests', async (_, place) => {
    await expect(unstarted(place).initialize()).rejects.toMatchObject({ code: 'PROVIDER_FATAL' })
    await expectSilence()
  })

  test('plain http to another machine is PROVIDER_FATAL, unless allowed', async () => {
    const url = 'http://rollkey.example'
    await expect(unstarted({ url }).initialize()).rejects.toMatchObject({
      code: 'PROVIDER_FATAL',
      message: expect.stringContaining('plain http to another machine'),
    })
    await started({ url, allowHttp: true })
  })

  test('a start with a wrong credential is PROVIDER_FATAL', async () => {
    service.failNext('UNAUTHORIZED', 9)
    await expect(unstarted().initialize()).rejects.toMatchObject({ code: 'PROVIDER_FATAL' })
  })
})

/** Asserts that the service receives no request while a running provider sends several to another service. */
async function expectSilence(): Promise<void> {
  const other = createTestService({ variables: { A: 'a' } })
  await started(polled(other))
  const others = async (questions: number): Promise<void> => {
    await expect.poll(() => other.requests.length, { interval: 1 }).toBeGreaterThan(questions)
  }
  await others(3)
  const before = service.requests.length
  await others(8)
  expect(service.requests).toHaveLength(before)
}

describe('lifecycle', () => {
  test('the start emits no change, and each change is emitted once', async () => {
    const provider = unstarted()
    const events = eventsOf(provider)
    await provider.initialize()
    const requests = (): number => service.requests.length
    await expect.poll(() => requests()).toBeGreaterThan(3)
    expect(events).toEqual([])
    service.set('TEXT', 'other')
    await expect.poll(() => events).toEqual(['PROVIDER_CONFIGURATION_CHANGED'])
    const before = requests()
    await expect.poll(() => requests()).toBeGreaterThan(before + 2)
    expect(events).toHaveLength(1)
  })

  test('a start without the service becomes ready when the service is back', async () => {
    service.failNext('UNREACHABLE', 12)
    const provider = unstarted()
    const events = eventsOf(provider)
    await expect(provider.initialize()).rejects.toMatchObject({ code: 'GENERAL' })
    await expect.poll(() => events).toEqual(['PROVIDER_READY'])
    expect((await text(provider, 'TEXT')).value).toBe(canary)
  })

  test('a change names its flags, if it came by the stream', async () => {
    for (const [options, expected] of [
      [service.options, { flagsChanged: ['NEW', 'TEXT'] }],
      [polled(service), {}],
    ] as const) {
      const provider = await started(options)
      const seen: object[] = []
      provider.events.addHandler(ProviderEvents.ConfigurationChanged, (details) => void seen.push(details ?? {}))
      const change = async (): Promise<object[]> => {
        await service.client.write({
          entries: [
            { kind: 'secret', name: 'TEXT', value: `${canary} again` },
            { kind: 'secret', name: 'NEW', value: 'new' },
          ],
        })
        await expect.poll(() => seen).not.toEqual([])
        return seen.splice(0)
      }
      // The stream may not be open at the first change.
      await expect.poll(change).toEqual([expected])
    }
  })

  test('an outage is emitted without an evaluation, and its end as soon as the stream is back', async () => {
    let isLost = false
    const lose = new AbortController()
    const fetch: Fetch = (input, init) => {
      if (isLost) return Promise.reject(new TypeError('fetch failed'))
      if (!input.includes('/v1/events')) return service.options.fetch!(input, init)
      const signal = AbortSignal.any([init.signal, lose.signal])
      return service.options.fetch!(input, { ...init, signal })
    }
    const provider = await started({ ...service.options, fetch, retry: false }, { intervalMs: 3_600_000 })
    const events = eventsOf(provider)
    service.set('TEXT', 'other')
    await expect.poll(() => events).toEqual(['PROVIDER_CONFIGURATION_CHANGED'])
    isLost = true
    lose.abort()
    await expect.poll(() => events.slice(1)).toEqual(['PROVIDER_STALE'])
    isLost = false
    await expect.poll(() => events.slice(1)).toEqual(['PROVIDER_STALE', 'PROVIDER_READY'])
  })

  test('a refused credential is an error until it is accepted', async () => {
    let isRefused = false
    const fetch: Fetch = (input, init) => {
      if (isRefused) service.failNext('UNAUTHORIZED')
      return polled(service).fetch!(input, init)
    }
    const provider = await started({ fetch })
    const errors: unknown[] = []
    provider.events.addHandler(ProviderEvents.Error, (details) => void errors.push(details))
    const events = eventsOf(provider)
    isRefused = true
    await expect(text(provider, 'TEXT')).rejects.toMatchObject({ code: 'GENERAL' })
    await expect.poll(() => events).toEqual(['PROVIDER_ERROR'])
    expect(errors).toEqual([{ errorCode: 'GENERAL', message: 'The test asked for this failure.' }])
    isRefused = false
    await expect.poll(() => events).toEqual(['PROVIDER_ERROR', 'PROVIDER_READY'])
  })

  test('tracking events are passed on, or ignored', async () => {
    const tracked: unknown[] = []
    const track = (...event: unknown[]): void => void tracked.push(event)
    for (const options of [{ track }, {}]) {
      await OpenFeature.setProviderAndWait('tracking', unstarted({}, options))
      const client = OpenFeature.getClient('tracking')
      client.track('bought', { targetingKey: 'u' }, { value: 12 })
    }
    expect(tracked).toEqual([['bought', { targetingKey: 'u' }, { value: 12 }]])
    await OpenFeature.clearProviders()
  })

  test('one failed evaluation does not make the provider stale while the service answers', async () => {
    let hasFailed = false
    // The evaluation itself fails: the request of the watch may come before it.
    const fetch: Fetch = (input, init) => {
      if (isEvaluation(init) && !hasFailed) {
        hasFailed = true
        service.failNext('EVALUATION_FAILED')
      }
      return polled(service).fetch!(input, init)
    }
    const provider = await started({ retry: false, fetch })
    const events = eventsOf(provider)
    await expect(text(provider, 'TEXT')).rejects.toMatchObject({ code: 'GENERAL' })
    const before = service.requests.length
    await expect.poll(() => service.requests.length).toBeGreaterThan(before + 3)
    expect(events).toEqual([])
  })

  test('an outage is emitted once, even without stale values', async () => {
    let isLost = false
    const fetch: Fetch = (input, init) =>
      isLost ? Promise.reject(new TypeError('fetch failed')) : polled(service).fetch!(input, init)
    const provider = await started({ fetch })
    const events = eventsOf(provider)
    isLost = true
    const failed = { status: 'rejected', reason: expect.objectContaining({ code: 'GENERAL' }) }
    expect(await Promise.allSettled([text(provider, 'TEXT'), text(provider, 'ROLL')])).toEqual([failed, failed])
    await expect(text(provider, 'TEXT')).rejects.toMatchObject({ code: 'GENERAL' })
    isLost = false
    await expect.poll(() => events).toContain('PROVIDER_READY')
    expect(events).toEqual(['PROVIDER_STALE', 'PROVIDER_READY'])
  })

  test('closing ends all requests, including those of the client in progress', async () => {
    const fetch: Fetch = (input, init) =>
      isEvaluation(init) ? new Promise(() => undefined) : polled(service).fetch!(input, init)
    const provider = await started({ fetch })
    const hanging = text(provider, 'TEXT')
    await provider.onClose()
    await expect(hanging).rejects.toMatchObject({ cause: { code: 'CLOSED' } })
    await expectSilence()
    await expect(text(provider, 'TEXT')).rejects.toMatchObject({ code: 'PROVIDER_NOT_READY' })
  })

  test('a provider that is replaced during its start causes no error', async () => {
    const hung: Fetch = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    const domain = 'replaced'
    const client = OpenFeature.getClient(domain)
    const seen: string[] = []
    for (const event of [ProviderEvents.Ready, ProviderEvents.Error])
      client.addHandler(event, () => void seen.push(event))
    const first = OpenFeature.setProviderAndWait(domain, unstarted({ fetch: hung }))
    await OpenFeature.setProviderAndWait(domain, unstarted())
    await first
    expect(seen).not.toContain('PROVIDER_ERROR')
    expect(client.providerStatus).toBe('READY')
    expect(await client.getStringValue('TEXT', 'default')).toBe(canary)
    await OpenFeature.clearProviders()
  })

  test('a client that was passed in stays open', async () => {
    const client = createClient(service.options)
    const provider = new RollkeyProvider(client, { intervalMs: 5 })
    await provider.initialize()
    expect((await text(provider, 'TEXT')).value).toBe(canary)
    await provider.onClose()
    await expectSilence()
    expect(await client.get('TEXT')).toBe(canary)
    client.close()
  })
})
