/** Decisions inside the program, against the in-memory service, with a network and a clock that the test controls. */
import { describe, expect, onTestFinished, test } from 'vitest'
import decisions from '../../contract/vectors/decisions.json' with { type: 'json' }
import { seeded } from '../../server/testkit/random.ts'
import { Connection } from '../src/connection.ts'
import { Reports } from '../src/local/reports.ts'
import { LocalRuleset } from '../src/local/ruleset.ts'
import { hashText, hashOfPin, portableHash } from '../src/local/sha256.ts'
import type { Client, Local, LocalOptions, Snapshot, TargetingRule } from '../src/index.ts'
import type { TestVariables } from '../src/testing/index.ts'
import { openBench, refusal, type Bench } from '../testkit/fetch.ts'

const minute = 60_000
const checkout = { a: 'new', b: 'old', chance: 1 }

interface LocalBench extends Bench {
  readonly local: Local
}

async function openLocal(
  variables: TestVariables = { CHECKOUT: checkout },
  options: LocalOptions = {},
  bench = openBench({ variables }, { retry: false }),
): Promise<LocalBench> {
  const local = await bench.client.local(options)
  onTestFinished(() => bench.client.close())
  return { ...bench, local }
}

function memorySnapshot(text?: string): Snapshot & { readonly text: () => string | undefined } {
  let saved = text
  return {
    load: async () => saved,
    save: async (next) => {
      saved = next
    },
    text: () => saved,
  }
}

function reportsOf({ service }: Bench) {
  return service.requests
    .filter(({ operation }) => operation === 'report')
    .map(({ body, requestKey }) => ({ requestKey, decisions: body['decisions'] as object[] }))
}

describe('a decision', () => {
  const hashes = [
    ['of the runtime', hashText],
    ['in JavaScript', portableHash],
  ] as const

  test.each(hashes)('is that of each published vector, with SHA-256 %s', (_, hash) => {
    for (const {
      note,
      name,
      seed = '',
      key,
      chance,
      rules,
      pins,
      context,
      decision,
      step,
    } of decisions.vectors as Vector[]) {
      const pinned = pins && { a: pins.a ?? [], b: pins.b ?? [] }
      const hashed = pinned && {
        a: pinned.a.map((each) => hashOfPin('salt', each)),
        b: pinned.b.map((each) => hashOfPin('salt', each)),
      }
      const rule = { name, kind: 'ab_roll' as const, valueA: 'A', valueB: 'B', chance, rules, pins: hashed }
      const ruleset = new LocalRuleset({ revision: 1, salt: 'salt', variables: [rule], requestId: 'r' }, hash)
      const found = ruleset.inspect(name, { seed, key, context }, 'local')
      const { by, rule: number, chance: decided } = step
      expect(found, note).toMatchObject({
        decision,
        step: by,
        value: decision.toUpperCase(),
        ...(number !== undefined && { rule: number }),
        ...(decided !== undefined && { chance: decided }),
      })
    }
  })

  test('is that of the service, for any seed, key and context', async () => {
    const random = seeded(41)
    const rules: TargetingRule[] = [
      { when: { plan: { in: ['pro'] } }, then: 'b' },
      { when: { age: { greaterThan: 40 } }, then: 0.3 },
    ]
    const { client, local } = await openLocal({
      R: {
        a: 1n,
        b: 2n,
        chance: 0.1 + 0.2,
        rules,
        pins: { a: ['ann'], b: ['café 🧀'] },
        labels: { a: 'on', b: 'off' },
      },
      PLAIN: { value: { list: [1] }, exposure: 'plain' },
    })
    const seeds = ['', 'ann', 'café 🧀', ' ', 'ab_roll:R::', 'x'.repeat(1_024)]
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
    for (let i = 0; i < 400; i++) {
      const seed = random() < 0.3 ? pick(seeds) : `user-${Math.floor(random() * 1e6)}`
      const roll = {
        ...(seed !== '' && { seed }),
        key: `k${Math.floor(random() * 3)}`,
        ...(random() < 0.7 && { context: { plan: pick(['pro', 'free', 1]), age: pick([39, 41, '41', null]) } }),
      }
      const { source: _, ...remote } = await client.inspect('R', roll, { explain: true })
      const { source, ...decided } = local.inspect('R', roll)
      expect(decided, JSON.stringify(roll)).toEqual(remote)
      expect(local.get('R', roll)).toBe(remote.value)
      expect(source).toBe('local')
    }
    expect(local.get('PLAIN')).toEqual({ list: [1] })
    // A caller may change what it gets.
    ;(local.get('PLAIN') as { list: number[] }).list.push(2)
    expect(local.get('PLAIN')).toEqual({ list: [1] })
  })

  test('is random without seed and key, and uses the roll of the client', async () => {
    const { client, local } = await openLocal({ R: { a: 'a', b: 'b', chance: 0.5 } })
    const found = new Set<unknown>()
    // Fails without a fault once in 2^200 runs.
    for (let i = 0; i < 200 && found.size < 2; i++) found.add(local.get('R'))
    expect(found).toEqual(new Set(['a', 'b']))
    const forUser = await client.for({ seed: 'ann' }).local()
    expect(forUser.get('R')).toBe(local.get('R', { seed: 'ann' }))
    expect(forUser.get('R', { seed: 'bob' })).toBe(local.get('R', { seed: 'bob' }))
  })

  test('needs a name that is in the ruleset, and a seed that the service would take', async () => {
    const { client, local } = await openLocal({ CHECKOUT: checkout, API_KEY: 'canary' })
    expect(() => local.get('API_KEY')).toThrow(expect.objectContaining({ code: 'NOT_LOCAL' }))
    expect(() => local.get('CHECKOT')).toThrow(/Did you mean "CHECKOUT"\?$/)
    expect(() => local.get('NONE')).toThrow(/"NONE" is not in the ruleset.*Use get of the client/)
    for (const seed of ['\ud800', 'ä'.repeat(513), 5 as never])
      expect(() => local.get('CHECKOUT', { seed })).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    const named = await client.local({ names: ['API_KEY'] })
    expect(named.get('API_KEY')).toBe('canary')
    expect(() => named.get('CHECKOUT')).toThrow(expect.objectContaining({ code: 'NOT_LOCAL' }))
  })

  test('of what a newer service has is left to it', async () => {
    const rule = { name: 'R', kind: 'ab_roll' as const, valueA: 'A', valueB: 'B', chance: 0 }
    const when = { plan: { in: ['pro'], matchesNewly: 'x' } } as TargetingRule['when']
    const variables = [
      { ...rule, rules: [{ when, then: 'a' as const }] },
      { ...rule, name: 'NEW', kind: 'c_roll' as 'ab_roll' },
    ]
    const ruleset = new LocalRuleset({ revision: 1, salt: 's', variables, requestId: 'r' }, hashText)
    expect(ruleset.get('R', { seed: 'u', context: { plan: 'pro' } })).toBe('B')
    expect(() => ruleset.get('NEW', {})).toThrow(expect.objectContaining({ code: 'NOT_LOCAL' }))
  })

  test('needs a stage that exists', async () => {
    const { client } = openBench({ variables: { CHECKOUT: checkout } })
    await expect(client.at({ stage: 'none' }).local()).rejects.toMatchObject({ code: 'STAGE_NOT_FOUND' })
  })
})

interface Vector {
  readonly note: string
  readonly name: string
  readonly seed?: string
  readonly key?: string
  readonly chance: number
  readonly rules?: TargetingRule[]
  readonly pins?: { a?: string[]; b?: string[] }
  readonly context?: Record<string, unknown>
  readonly decision: 'a' | 'b'
  readonly step: { by: 'pin' | 'rule' | 'chance'; rule?: number; chance?: number }
}

describe('a ruleset', () => {
  test('is asked for every 30 seconds without a stream, and told when it changes', async () => {
    const { local, service, host, headers, count } = await openLocal(undefined, { reports: false })
    const revisions: number[] = []
    const stop = local.on('change', ({ revision }) => revisions.push(revision))
    await host.advance(30_000)
    service.set('CHECKOUT', { ...checkout, chance: 0 })
    expect([local.get('CHECKOUT'), local.revision]).toEqual(['new', 1])
    await host.advance(30_000)
    expect([local.get('CHECKOUT'), local.revision, revisions]).toEqual(['old', 2, [2]])
    expect(count('ruleset')).toBe(3)
    expect(headers.map((each) => each.get('if-none-match')).slice(0, 3)).toEqual([null, 'W/"1"', 'W/"1"'])
    stop()
    service.set('CHECKOUT', checkout)
    await host.advance(30_000)
    expect([local.revision, revisions]).toEqual([3, [2]])
  })

  test('follows the stream of the project', async () => {
    const service = openBench({ variables: { CHECKOUT: checkout } }).service
    const bench = openBench({ variables: {} }, { retry: false, fetch: service.options.fetch })
    const { local, host } = await openLocal({}, {}, bench)
    await expect.poll(() => service.requests).toHaveLength(1)
    service.set('CHECKOUT', { ...checkout, chance: 0 })
    await expect.poll(() => local.revision).toBe(2)
    expect(local.get('CHECKOUT')).toBe('old')
    // While there is a stream, no one asks.
    const before = service.requests.length
    await host.advance(9_000)
    expect(service.requests.filter(({ operation }) => operation === 'ruleset')).toHaveLength(before)
  })

  test('is asked for each time that the stream cannot be opened again, so that an outage shows at once', async () => {
    let attempts = 0
    let end = (): void => undefined
    const streams = async (): Promise<Response> => {
      if (attempts++ > 0) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          end = () => controller.close()
          controller.enqueue(new TextEncoder().encode(`id: ${bench.service.options.stage}:1\n\n`))
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }
    const bench: Bench = openBench({ variables: { CHECKOUT: checkout } }, { retry: false }, undefined, streams)
    const { local, host, fates, count } = await openLocal({}, { reports: false }, bench)
    await host.advance(1_000)
    end()
    // A service that stops still answers on a connection that it has.
    for (let i = 0; i < 5 && count('ruleset') < 2; i++) await host.advance(1_000)
    expect([count('ruleset'), local.isStale]).toEqual([2, false])
    fates.push(...Array.from({ length: 9 }, () => 'refused' as const))
    for (let i = 0; i < 5 && !local.isStale; i++) await host.advance(1_000)
    expect([local.isStale, local.get('CHECKOUT')]).toEqual([true, 'new'])
  })

  test('stays in use without an answer, and says so', async () => {
    const { local, host, fates } = await openLocal()
    const stale: boolean[] = []
    local.on('stale', (isStale) => stale.push(isStale))
    fates.push('refused', 'hung', refusal(503, 'SERVICE_UNAVAILABLE'))
    await host.advance(30_000)
    expect([local.get('CHECKOUT'), local.isStale, local.inspect('CHECKOUT').source]).toEqual(['new', true, 'stale'])
    for (let i = 0; i < 20; i++) await host.advance(30_000)
    await expect.poll(() => local.isStale, { timeout: 10_000 }).toBe(false)
    expect(stale).toEqual([true, false])
    expect(local.inspect('CHECKOUT').source).toBe('local')
  })

  test('is used without an answer for at most maxStaleMs', async () => {
    const { local, host, fates } = await openLocal(undefined, { maxStaleMs: minute, reports: false })
    fates.push(...Array.from({ length: 9 }, () => 'refused' as const))
    await host.advance(30_000)
    expect(local.get('CHECKOUT')).toBe('new')
    await host.advance(30_001)
    expect(() => local.get('CHECKOUT')).toThrow(expect.objectContaining({ code: 'UNREACHABLE' }))
    expect(() => local.get('CHECKOUT')).toThrow(/not confirmed for more than maxStaleMs, 60000 ms/)
    fates.length = 0
    await host.advance(30_000)
    expect(local.get('CHECKOUT')).toBe('new')
  })

  test.each([
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
  ])('is dropped at once after a %s, with its snapshot', async (status, code) => {
    const snapshot = memorySnapshot()
    const { local, host, fates } = await openLocal(undefined, { snapshot, reports: false })
    await expect.poll(() => snapshot.text()).toContain('"new"')
    fates.push(refusal(status, code))
    await host.advance(30_000)
    expect(() => local.get('CHECKOUT')).toThrow(expect.objectContaining({ code }))
    expect(() => local.revision).toThrow(expect.objectContaining({ code }))
    expect(snapshot.text()).toBe('')
    // The service takes the token again, such as after an error of an administrator.
    await host.advance(30_000)
    expect(local.get('CHECKOUT')).toBe('new')
  })

  test('of the first start is needed: its error is thrown', async () => {
    const { client, fates } = openBench({ variables: { CHECKOUT: checkout } }, { retry: false })
    fates.push('refused')
    await expect(client.local()).rejects.toMatchObject({ code: 'UNREACHABLE' })
    fates.push(refusal(401, 'UNAUTHORIZED'))
    await expect(client.local({ snapshot: memorySnapshot('{') })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

describe('a snapshot', () => {
  async function saved(options: LocalOptions = {}): Promise<string> {
    const snapshot = memorySnapshot()
    await openLocal(undefined, { ...options, snapshot })
    await expect.poll(() => snapshot.text()).toBeTruthy()
    return snapshot.text() ?? ''
  }

  test.each(['refused', 'hung'] as const)('starts the program while the service is down (%s)', async (fate) => {
    const bench = openBench({ variables: { CHECKOUT: { ...checkout, chance: 0 } } }, { retry: false })
    bench.fates.push(fate)
    const starting = openLocal({}, { snapshot: memorySnapshot(await saved()) }, bench)
    await expect.poll(() => bench.fates).toEqual([])
    await bench.host.advance(2_000)
    const { local, host } = await starting
    expect([local.get('CHECKOUT'), local.isStale]).toEqual(['new', true])
    if (fate === 'hung') return
    await host.advance(30_000)
    expect([local.isStale, bench.count('ruleset')]).toEqual([false, 1])
  })

  test('decides as before while the service is down, with pins and rules', async () => {
    const rules: TargetingRule[] = [{ when: { plan: { in: ['pro'] } }, then: 0.3 }]
    const snapshot = memorySnapshot()
    const { local: before } = await openLocal(
      { R: { a: 'a', b: 'b', chance: 0.6, rules, pins: { b: ['user-1', 'user-2', 'user-3', 'user-4', 'user-5'] } } },
      { snapshot },
    )
    await expect.poll(() => snapshot.text()).toBeTruthy()
    const bench = openBench({ variables: {} }, { retry: false })
    bench.fates.push('refused')
    const { local: after } = await openLocal({}, { snapshot }, bench)
    const decide = (local: Local): unknown[] =>
      Array.from({ length: 200 }, (_, at) =>
        local.get('R', { seed: `user-${at}`, ...(at % 2 === 0 && { context: { plan: 'pro' } }) }),
      )
    expect(decide(after)).toEqual(decide(before))
  })

  test('costs nothing if it is still current', async () => {
    const bench = openBench({ variables: { CHECKOUT: checkout } })
    const { local, headers } = await openLocal({}, { snapshot: memorySnapshot(await saved()) }, bench)
    expect([local.get('CHECKOUT'), local.isStale]).toEqual(['new', false])
    expect(headers[0]?.get('if-none-match')).toBe('W/"1"')
  })

  test.each([
    ['another selection', async () => saved({ names: ['CHECKOUT'] })],
    ['damaged', async () => '{"id":'],
  ])('is not used if it is %s', async (_, textOf) => {
    const { client, fates } = openBench({ variables: { CHECKOUT: checkout } }, { retry: false })
    fates.push('refused')
    await expect(client.local({ snapshot: memorySnapshot(await textOf()) })).rejects.toMatchObject({
      code: 'UNREACHABLE',
    })
  })

  test('after a refusal at the start is not used', async () => {
    const { client, fates } = openBench({ variables: { CHECKOUT: checkout } }, { retry: false })
    fates.push(refusal(401, 'UNAUTHORIZED'))
    await expect(client.local({ snapshot: memorySnapshot(await saved()) })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
  })
})

describe('a report', () => {
  test('has the decisions by name, side, step and rule, every ten seconds', async () => {
    const rules: TargetingRule[] = [{ when: { plan: { in: ['pro'] } }, then: 'b' }]
    const bench = await openLocal({
      R: { a: 'a', b: 'b', chance: 1, rules, pins: { b: ['ann'] } },
      PLAIN: { value: 'p', exposure: 'plain' },
      UNUSED: { value: 'u', exposure: 'plain' },
    })
    const { local, host } = bench
    for (let i = 0; i < 3; i++) local.get('R', { seed: `user-${i}` })
    local.get('R', { seed: 'ann' })
    local.inspect('R', { seed: 'bob', context: { plan: 'pro' } })
    local.get('PLAIN')
    await host.advance(9_999)
    expect(reportsOf(bench)).toEqual([])
    await host.advance(1)
    const [report, ...more] = reportsOf(bench)
    expect(more).toEqual([])
    expect(report?.decisions).toEqual([
      { name: 'PLAIN', count: 1 },
      { name: 'R', decision: 'b', step: 'pin', count: 1 },
      { name: 'R', decision: 'a', step: 'chance', chance: 1, count: 3 },
      { name: 'R', decision: 'b', step: 'rule', rule: 1, count: 1 },
    ])
    await host.advance(10_000)
    expect(reportsOf(bench)).toHaveLength(1)
  })

  test('whose answer is lost is sent again under its key, and later decisions under another one', async () => {
    const bench = await openLocal()
    const { local, host, fates } = bench
    local.get('CHECKOUT')
    fates.push('lost', 'refused')
    await host.advance(10_000)
    local.get('CHECKOUT')
    await host.advance(10_000)
    await host.advance(10_000)
    const [first, again, second, ...more] = reportsOf(bench)
    expect(more).toEqual([])
    expect(again).toEqual(first)
    expect(second?.requestKey).not.toBe(first?.requestKey)
    expect([first, second].map((report) => report?.decisions)).toEqual([
      [expect.objectContaining({ count: 1 })],
      [expect.objectContaining({ count: 1 })],
    ])
  })

  test('that the service may have forgotten is not sent again, and what was decided since is', async () => {
    const bench = await openLocal()
    const { local, host, fates } = bench
    local.get('CHECKOUT')
    fates.push('lost')
    await host.advance(10_000)
    local.get('CHECKOUT')
    local.get('CHECKOUT')
    await host.advance(31 * minute)
    const reports = reportsOf(bench)
    expect(reports.map(({ decisions: [row] }) => row)).toMatchObject([{ count: 1 }, { count: 2 }])
  })

  test('includes decisions by a ruleset that was replaced', async () => {
    const bench = await openLocal()
    const { local, service, host, fates } = bench
    local.get('CHECKOUT')
    // The reports at 10, 20 and 30 seconds are not answered, and the ruleset at 30 seconds is.
    fates.push('refused', 'refused')
    service.set('CHECKOUT', { ...checkout, chance: 0 })
    await host.advance(10_000)
    await host.advance(10_000)
    local.get('CHECKOUT')
    await host.advance(10_000)
    expect(local.revision).toBe(2)
    local.get('CHECKOUT')
    await local.close()
    const rows = new Map(reportsOf(bench).map(({ requestKey, decisions: each }) => [requestKey, each]))
    expect([...rows.values()].flat()).toMatchObject([
      { chance: 1, count: 1 },
      { chance: 1, count: 1 },
      { chance: 0, count: 1 },
    ])
  })

  test('is sent on close, after which nothing is decided', async () => {
    const bench = await openLocal()
    bench.local.get('CHECKOUT')
    await bench.local.close()
    await bench.local.close()
    expect(reportsOf(bench)).toHaveLength(1)
    expect(() => bench.local.get('CHECKOUT')).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    await bench.host.advance(minute)
    expect(bench.count('ruleset')).toBe(1)
  })

  test('is sent before the program ends', async () => {
    const before = process.listenerCount('beforeExit')
    const bench = await openLocal()
    bench.local.get('CHECKOUT')
    process.emit('beforeExit', 0)
    await expect.poll(() => reportsOf(bench).length).toBe(1)
    await bench.local.close()
    expect(process.listenerCount('beforeExit')).toBe(before)
  })

  test('can be switched off', async () => {
    const bench = await openLocal(undefined, { reports: false })
    bench.local.get('CHECKOUT')
    await bench.host.advance(minute)
    await bench.local.close()
    expect(reportsOf(bench)).toEqual([])
  })

  test('of a thousand rows and more is cut', async () => {
    const names = Array.from({ length: 1_500 }, (_, at) => `V${at}`)
    const variables = (some: readonly string[]): TestVariables =>
      Object.fromEntries(some.map((name) => [name, { value: 'v', exposure: 'plain' }]))
    const opened = openBench({ variables: variables(names.slice(0, 1_000)) }, { retry: false })
    for (const name of names.slice(1_000)) opened.service.set(name, { value: 'v', exposure: 'plain' })
    const bench = await openLocal({}, {}, opened)
    for (const name of names) bench.local.get(name)
    await bench.local.close()
    expect(reportsOf(bench).map(({ decisions: rows }) => rows.length)).toEqual([1_000, 500])
  })

  test('of more decisions than one row can have is divided, and loses none', async () => {
    const bench = openBench({ variables: { CHECKOUT: checkout } })
    const { org: orgSlug, project: projectSlug, stage: stageSlug, ...options } = bench.service.options
    const row = { name: 'CHECKOUT', decision: 'a', step: 'chance', chance: 1 } as const
    // An outage, in which rulesets were replaced, and more than one report can have.
    const counts = [2_500_000_000, 700_000_000, 1_500_000_000_000]
    const reports = new Reports(new Connection(options, bench.host), { orgSlug, projectSlug, stageSlug }, () =>
      counts.splice(0).map((count) => ({ ...row, count })),
    )
    expect(await reports.flush()).toBe(true)
    const sent = reportsOf(bench).map(({ decisions: rows }) => rows as { readonly count: number }[])
    expect(sent.map((rows) => rows.length)).toEqual([1_000, 504])
    expect(sent.flat().map(({ count }) => count)).toEqual([
      ...Array.from({ length: 1_503 }, () => 1_000_000_000),
      200_000_000,
    ])
  })
})

test('a client that is closed ends its local decisions', async () => {
  const { local, client } = (await openLocal()) as LocalBench & { client: Client }
  client.close()
  expect(() => local.get('CHECKOUT')).toThrow(expect.objectContaining({ code: 'CLOSED' }))
})
