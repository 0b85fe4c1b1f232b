import { describe, expect, test } from 'vitest'
import type { Client, Inspection } from '../src/index.ts'
import { openBench, refusal, type Bench } from '../testkit/fetch.ts'
import { settled, TestHost } from '../testkit/host.ts'

const ttlMs = 30_000
const variables = { A: 'a', B: 'b', R: { a: 'A', b: 'B', chance: 0.5 } }

/** Returns values with a known revision: the manifest was read before they were evaluated. */
async function openTagged(options: Parameters<typeof openBench>[1] = {}): Promise<Bench> {
  const bench = openBench({ variables }, options)
  await bench.client.get('A')
  await bench.host.advance(ttlMs)
  await bench.client.get('A')
  expect([bench.count('evaluate'), bench.count('manifest')]).toEqual([2, 1])
  return bench
}

function sourceOf(client: Client, name: string): Promise<Inspection['source']> {
  return client.inspect(name).then(({ source }) => source)
}

describe('a value', () => {
  test('is requested once within its time to live', async () => {
    const { client, host, service } = openBench({ variables })
    expect(await sourceOf(client, 'A')).toBe('service')
    await host.advance(ttlMs - 1)
    expect(await sourceOf(client, 'A')).toBe('cache')
    expect(await client.get('A')).toBe('a')
    expect(service.requests).toHaveLength(1)
  })

  test('is requested again if the clock is set back, not for longer than its time to live', async () => {
    const { client, host } = openBench({ variables })
    await client.get('A')
    await host.advance(-(ttlMs - 1))
    expect(await sourceOf(client, 'A')).toBe('cache')
    await host.advance(-1)
    expect(await sourceOf(client, 'A')).toBe('service')
  })

  test('is fresh again, with all others of its revision, if the manifest reports no change', async () => {
    const { client, host, count } = await openTagged()
    await client.get('B')
    await host.advance(ttlMs)
    const sources = await Promise.all(['A', 'B', 'A'].map((name) => sourceOf(client, name)))
    expect(sources).toEqual(['cache', 'cache', 'cache'])
    expect([count('evaluate'), count('manifest')]).toEqual([3, 2])
    await host.advance(ttlMs - 1)
    expect(await sourceOf(client, 'B')).toBe('cache')
    expect(count('manifest')).toBe(2)
  })

  test('is requested again if the revision has changed, without a manifest request for each', async () => {
    const { client, host, service, count } = await openTagged()
    await client.get('B')
    service.set('A', 'new')
    expect(await client.get('A')).toBe('a')
    await host.advance(ttlMs)
    expect(await client.get('A')).toBe('new')
    expect(await sourceOf(client, 'B')).toBe('service')
    expect(count('manifest')).toBe(2)
    expect(host.isIdle).toBe(true)
  })

  test('written between the manifest and the evaluation does not count for the earlier revision', async () => {
    const { client, host, service } = await openTagged()
    service.set('A', 'second')
    await host.advance(ttlMs)
    const pending = client.get('A')
    // After the answer of the manifest and before the evaluation is sent.
    await Promise.resolve()
    while (service.requests.at(-1)?.operation !== 'manifest') await Promise.resolve()
    service.set('A', 'third')
    expect(['second', 'third']).toContain(await pending)
    await host.advance(ttlMs)
    expect(await client.get('A')).toBe('third')
    service.set('A', 'fourth')
    await host.advance(ttlMs)
    expect(await client.get('A')).toBe('fourth')
  })

  test('evaluated before a revision was seen does not count for that revision', async () => {
    const { client, fates, service } = await openTagged()
    const { promise, resolve } = Promise.withResolvers<Response>()
    fates.push(promise)
    const pending = client.get('B')
    await settled()
    service.set('B', 'newer')
    client.watch(() => undefined)
    await settled()
    resolve(Response.json({ name: 'B', kind: 'secret', value: 'older', requestId: 'r' }))
    expect(await pending).toBe('older')
    expect(await client.get('B')).toBe('newer')
  })

  test('that does not exist is cached too', async () => {
    const { client, count } = openBench({ variables })
    await expect(client.get('MISSING')).rejects.toMatchObject({ code: 'VARIABLE_NOT_FOUND' })
    await expect(client.get('MISSING')).rejects.toMatchObject({ code: 'VARIABLE_NOT_FOUND' })
    expect(count('evaluate')).toBe(1)
  })

  test('that does not exist leads to the nearest name if the client knows the names', async () => {
    const { client, fates, host, count } = openBench({ variables: { API_KEY: 'k' } })
    // A service does not name what it lacks, as a test service does.
    const lacking = { code: 'VARIABLE_NOT_FOUND', message: 'The stage lacks a variable.' }
    const refused = (): Response => Response.json({ error: lacking, requestId: 'r' }, { status: 404 })
    fates.push(refused())
    await expect(client.get('API_KYE')).rejects.toThrow('Compare with rollkey list --project')
    await client.get('API_KEY')
    await host.advance(30_000)
    await client.get('API_KEY')
    const manifests = count('manifest')
    fates.push(refused())
    await expect(client.get('API_KEI')).rejects.toThrow(/that the token may read\. Did you mean "API_KEY"\?$/)
    expect(count('manifest')).toBe(manifests)
  })

  test('is forgotten by a write of this client, also if the answer to the write is lost', async () => {
    const { client, fates } = openBench({ variables }, { retry: false })
    await client.get('A')
    await client.write({ entries: [{ name: 'A', kind: 'secret', value: 'written' }] })
    expect(await client.get('A')).toBe('written')
    fates.push('lost')
    const lost = client.write({ entries: [{ name: 'A', kind: 'secret', value: 'lost' }] })
    await expect(lost).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(await client.get('A')).toBe('lost')
  })

  test.each(['arrives', 'lost'] as const)(
    'asked before a write that %s and answered after it is not kept',
    async (fate) => {
      const { client, fates, service } = openBench({ variables }, { retry: false })
      const { promise, resolve } = Promise.withResolvers<Response>()
      fates.push(promise, fate)
      const pending = client.get('A')
      await settled()
      await Promise.allSettled([client.write({ entries: [{ name: 'A', kind: 'secret', value: 'written' }] })])
      resolve(Response.json({ name: 'A', kind: 'secret', value: 'old', requestId: 'r' }))
      expect(await pending).toBe('old')
      expect(await client.get('A')).toBe('written')
      expect(service.requests.at(-1)?.operation).toBe('evaluate')
    },
  )

  test('from before a write of this client is never served', async () => {
    const { client, fates } = openBench({ variables }, { retry: false })
    await client.get('A')
    await client.write({ entries: [{ name: 'A', kind: 'secret', value: 'written' }] })
    fates.push('refused')
    await expect(client.get('A')).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('cannot be changed by its receiver', async () => {
    const { client } = openBench({ variables: { J: { value: '{"list":[1]}', declaredType: 'json' } } })
    const first = (await client.get('J')) as { list: number[] }
    first.list.push(2)
    expect(await client.get('J')).toEqual({ list: [1] })
  })
})

describe('rolls', () => {
  test('are cached by seed and key, and never without', async () => {
    const { client, count } = openBench({ variables })
    const bound = client.for({ seed: 'u' })
    for (const ask of [bound, bound, client.for({ key: 'u' }), client, client, client.for({ seed: '' })])
      await ask.get('R')
    expect(count('evaluate')).toBe(5)
  })

  test('share values that they do not decide', async () => {
    const { client, count } = openBench({ variables })
    await client.for({ seed: 'one' }).get('A')
    expect(await client.for({ seed: 'two' }).inspect('A')).toMatchObject({ source: 'cache', value: 'a' })
    expect(await sourceOf(client, 'A')).toBe('cache')
    expect(count('evaluate')).toBe(1)
  })

  test('a secret that became a roll is rolled', async () => {
    const { client, service, host } = await openTagged()
    service.set('A', { a: 'rolled', b: 'rolled', chance: 1 })
    await host.advance(ttlMs)
    const bound = client.for({ seed: 'u' })
    expect([await bound.get('A'), await bound.get('A'), await sourceOf(bound, 'A')]).toEqual([
      'rolled',
      'rolled',
      'cache',
    ])
    expect(await client.get('A')).toBe('rolled')
  })
})

describe('the least recently used value', () => {
  test('is evicted first', async () => {
    const { client, count } = openBench({ variables: { A: 'a', B: 'b', C: 'c' } }, { cache: { maxEntries: 2 } })
    for (const name of ['A', 'B', 'A', 'C', 'A', 'B']) await client.get(name)
    expect(count('evaluate')).toBe(4)
  })
})

describe('while the service cannot be reached', () => {
  test('stale values are served after attempts of two seconds in all, and then at once', async () => {
    const { client, fates, host, service } = await openTagged()
    await host.advance(ttlMs)
    fates.push(...Array.from({ length: 20 }, () => 'refused' as const))
    const pending = client.inspect('A')
    await settled()
    await host.advance(2_000)
    expect(await pending).toMatchObject({ value: 'a', source: 'stale' })
    expect(await client.inspect('A')).toMatchObject({ source: 'stale' })
    const unanswered = fates.length
    await client.get('A')
    await settled()
    expect(fates).toHaveLength(unanswered)
    expect(service.requests).toHaveLength(3)
  })

  test('the service is asked once a second by one caller, and its first answer ends the outage', async () => {
    const bench = await openTagged({ retry: false })
    const { client, fates, host, service } = bench
    await host.advance(ttlMs)
    fates.push('refused', 'refused')
    expect(await sourceOf(client, 'A')).toBe('stale')
    expect(await sourceOf(client, 'A')).toBe('stale')
    await settled()
    expect(fates).toHaveLength(1)
    await host.advance(1_000)
    expect(await Promise.all([sourceOf(client, 'A'), sourceOf(client, 'A')])).toEqual(['stale', 'stale'])
    await settled()
    expect(fates).toEqual([])
    service.set('A', 'new')
    await host.advance(1_000)
    expect(await sourceOf(client, 'A')).toBe('stale')
    await settled()
    expect(await client.inspect('A')).toMatchObject({ source: 'cache', value: 'new' })
  })

  test('stale values are served also if only evaluations fail', async () => {
    const { client, fates, host, service } = await openTagged({ retry: false })
    service.set('A', 'new')
    await host.advance(ttlMs)
    fates.push('arrives', refusal(503, 'BILLING_UNAVAILABLE'))
    expect(await client.inspect('A')).toMatchObject({ source: 'stale', value: 'a' })
  })

  test('a request in progress is not repeated', async () => {
    const { client, fates, host, service, headers } = await openTagged({ retry: false })
    service.set('A', 'new')
    await host.advance(ttlMs)
    fates.push('arrives', 'refused', 'hung')
    expect(await sourceOf(client, 'A')).toBe('stale')
    const before = headers.length
    for (let i = 0; i < 3; i++) {
      await host.advance(1_000)
      expect(await sourceOf(client, 'A')).toBe('stale')
      await settled()
    }
    expect(headers).toHaveLength(before + 1)
    client.close()
  })

  test('a refusal is not an outage', async () => {
    const { client, fates, host } = await openTagged({ retry: false })
    await host.advance(ttlMs)
    fates.push('refused', refusal(401, 'UNAUTHORIZED'), refusal(401, 'UNAUTHORIZED'))
    expect(await sourceOf(client, 'A')).toBe('stale')
    await host.advance(1_000)
    expect(await sourceOf(client, 'A')).toBe('stale')
    await settled()
    await expect(client.get('A')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('no stale value is served with stale: false', async () => {
    const { client, fates, host } = await openTagged({ retry: false, cache: { stale: false } })
    await host.advance(ttlMs)
    fates.push('refused')
    await expect(client.get('A')).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })
})

describe('a snapshot', () => {
  function keeper(): {
    text: string | undefined
    saves: number
    load(): Promise<string | undefined>
    save(text: string): Promise<void>
  } {
    return {
      text: undefined,
      saves: 0,
      load() {
        return Promise.resolve(this.text)
      },
      save(text) {
        this.text = text
        this.saves++
        return Promise.resolve()
      },
    }
  }

  test('provides values at a start while the service cannot be reached', async () => {
    const snapshot = keeper()
    const first = openBench({ variables }, { snapshot })
    await first.client.getMany(['A', 'B'])
    await settled()
    expect(snapshot.saves).toBe(1)
    const second = openBench({ variables }, { snapshot, retry: false })
    second.fates.push(...Array.from({ length: 9 }, () => 'refused' as const))
    expect(await second.client.inspect('A')).toMatchObject({ value: 'a', source: 'stale' })
    expect(await second.client.get('B')).toBe('b')
    await expect(second.client.get('C')).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('gives way to the service', async () => {
    const snapshot = keeper()
    await openBench({ variables }, { snapshot }).client.get('A')
    await settled()
    const { client } = openBench({ variables: { A: 'newer' } }, { snapshot })
    expect(await client.inspect('A')).toMatchObject({ value: 'newer', source: 'service' })
  })

  test('of one service is not used for another', async () => {
    const snapshot = keeper()
    await openBench({ variables }, { snapshot, url: 'https://other' }).client.get('A')
    await settled()
    const { client, fates } = openBench({ variables }, { snapshot, retry: false })
    fates.push('refused')
    await expect(client.get('A')).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('is saved at most once a second, with the latest values', async () => {
    const snapshot = keeper()
    const { client, host } = openBench({ variables }, { snapshot })
    await client.get('A')
    await settled()
    await client.get('B')
    await client.for({ seed: 'u' }).get('R')
    await settled()
    expect(snapshot.saves).toBe(1)
    await host.advance(1_000)
    expect(snapshot.saves).toBe(2)
    expect(snapshot.text).toContain('"B"')
    await host.advance(1_000)
    expect(snapshot.saves).toBe(2)
  })

  test.each(['', 'no JSON', '{}', '{"version":2}'])('%j counts as absent', async (text) => {
    const { client } = openBench({ variables }, { snapshot: { ...keeper(), load: () => Promise.resolve(text) } })
    expect(await client.get('A')).toBe('a')
  })

  test('that cannot be loaded or saved causes no error', async () => {
    const fails = () => Promise.reject(new Error('disk full'))
    const { client } = openBench({ variables }, { snapshot: { load: fails, save: fails } })
    expect(await client.get('A')).toBe('a')
    await settled()
    expect(await sourceOf(client, 'A')).toBe('cache')
  })

  test('needs a cache that may serve stale values', () => {
    const snapshot = keeper()
    for (const cache of [false, { stale: false }] as const) {
      expect(() => openBench({ variables }, { snapshot, cache }, new TestHost())).toThrow(/snapshot/)
    }
  })
})

describe('a roll with a context', () => {
  const rules = [{ when: { plan: { equals: 'pro' } }, then: 'a' }] as const
  const roll = { a: 'A', b: 'B', chance: 0, rules } as const
  const ask = (client: Client, context: Record<string, unknown>) => client.inspect('R', { seed: 'u', context })

  test('is cached for each context, and attributes that no rule reads make no difference once the rules are known', async () => {
    const { client, count } = openBench({ variables: { R: roll, A: 'a' } })
    expect(await ask(client, { plan: 'pro' })).toMatchObject({ decision: 'a', source: 'service' })
    expect(await ask(client, { plan: 'free' })).toMatchObject({ decision: 'b', source: 'service' })
    await settled()
    expect(count('manifest')).toBe(1)
    const sources = async (contexts: Record<string, unknown>[]): Promise<string[]> => {
      const found: string[] = []
      for (const context of contexts) {
        const { decision, source } = await ask(client, context)
        found.push(`${decision} ${source}`)
      }
      return found
    }
    await sources([{ plan: 'pro' }, { plan: 'free' }])
    const evaluations = count('evaluate')
    expect(
      await sources([
        { plan: 'pro', requestId: 1 },
        { requestId: 2, plan: 'free' },
        { plan: 'pro', requestId: 3 },
      ]),
    ).toEqual(['a cache', 'b cache', 'a cache'])
    expect(count('evaluate')).toBe(evaluations)
    expect(count('manifest')).toBe(1)
  })

  test('follows new rules after its time to live', async () => {
    const { client, host, service } = openBench({ variables: { R: roll } })
    await ask(client, { plan: 'free', country: 'CH' })
    await settled()
    expect(await ask(client, { plan: 'free', country: 'CH' })).toMatchObject({ decision: 'b' })
    service.set('R', { ...roll, rules: [{ when: { country: { equals: 'CH' } }, then: 'a' }] })
    await host.advance(ttlMs)
    expect(await ask(client, { plan: 'free', country: 'CH' })).toMatchObject({ decision: 'a', source: 'service' })
    await settled()
    expect(await ask(client, { plan: 'free', country: 'DE' })).toMatchObject({ decision: 'b' })
    expect(await ask(client, { plan: 'free', country: 'CH' })).toMatchObject({ decision: 'a' })
  })

  test('is cached with its explanation apart from without, and a secret is not', async () => {
    const { client, count } = openBench({ variables: { R: roll, A: 'a' } })
    const asked = { seed: 'u', context: { plan: 'pro' } }
    const inspect = (name: string, explain: boolean) => client.inspect(name, asked, { explain })
    expect(await inspect('R', false)).not.toHaveProperty('step')
    expect(await inspect('R', true)).toMatchObject({ step: 'rule', rule: 1, source: 'service' })
    await settled()
    await inspect('R', true)
    await inspect('R', false)
    const evaluations = count('evaluate')
    expect(await inspect('R', true)).toMatchObject({ step: 'rule', rule: 1, source: 'cache' })
    expect(await inspect('R', false)).not.toHaveProperty('step')
    expect(await inspect('A', true)).toMatchObject({ source: 'service' })
    expect(await inspect('A', false)).toMatchObject({ source: 'cache' })
    expect(count('evaluate')).toBe(evaluations + 1)
  })

  test('does not wait for the rules', async () => {
    const { client, fates, count } = openBench({ variables: { R: roll } })
    fates.push('hung')
    expect(await ask(client, { plan: 'pro' })).toMatchObject({ decision: 'a', source: 'service' })
    expect(await ask(client, { plan: 'pro' })).toMatchObject({ decision: 'a', source: 'cache' })
    expect([count('manifest'), count('evaluate')]).toEqual([0, 1])
  })
})
