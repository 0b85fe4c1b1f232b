/** Tests the rate limits of one node. Each node counts separately. */
import type { EndpointName } from '@rollkey/contract'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { usageOf } from '../testkit/app.ts'
import { newUser, TestClient, type Answer } from '../testkit/client.ts'
import { secret } from '../testkit/entries.ts'
import { newOwner, newTenant, startTestEnv, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const settings = { RATE_LIMIT_REQUESTS: '5', RATE_LIMIT_IP: '2' }
const [unknown, anonymous] = [20, 200]
const nobodys = `svc_at_${'x'.repeat(43)}`
const testEnv = useTestEnv(settings)
let addresses = 0

beforeAll(async () => {
  testEnv.clock.freezeAt(testEnv.clock.now())
})
// This refills all limits.
beforeEach(() => testEnv.clock.advance(60_000))

interface Sender {
  readonly token?: string
  /** Client IP, as the reverse proxy reports it. */
  readonly from?: string
}

function newAddress(): string {
  addresses++
  return `198.51.${Math.floor(addresses / 256)}.${addresses % 256}`
}

/** Sends a request to the first node. */
function ask(name: EndpointName, input: object, { token, from }: Sender = {}, { app } = testEnv): Promise<Answer> {
  return new TestClient(app.url).call(name, input, {
    ...(token !== undefined && { token }),
    headers: from === undefined ? {} : { 'x-forwarded-for': from },
  })
}

async function statuses(count: number, asks: () => Promise<Answer>): Promise<number[]> {
  const found: number[] = []
  for (let sent = 0; sent < count; sent++) found.push((await asks()).status)
  return found
}

function times(count: number, status: number): number[] {
  return Array.from({ length: count }, () => status)
}

function headersOf({ headers }: Answer): (string | null)[] {
  return ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name))
}

describe('the rate limit of a caller', () => {
  test('applies to requests per minute, and each answer reports it', async () => {
    const { at, token } = await newTenant(testEnv)
    const policy = '"requests";q=5;w=60'
    expect(headersOf(await ask('list', at, { token }))).toEqual([policy, '"requests";r=4;t=48', null])
    expect(headersOf(await ask('list', { ...at, stageSlug: 7 }, { token }))).toEqual([
      policy,
      '"requests";r=3;t=36',
      null,
    ])
    expect(await statuses(3, () => ask('manifest', at, { token }))).toEqual(times(3, 200))
    const refused = await ask('digests', at, { token })
    expect([refused.status, refused.body.error.code, ...headersOf(refused)]).toEqual([
      429,
      'RATE_LIMITED',
      policy,
      '"requests";r=0;t=12',
      '12',
    ])
    expect(refused.body.error.message).toBe('Too many requests; try again in 12 seconds.')
    testEnv.clock.advance(11_999)
    expect((await ask('list', at, { token })).status).toBe(429)
    testEnv.clock.advance(1)
    expect(await statuses(2, () => ask('list', at, { token }))).toEqual([200, 429])
  })

  test('counts a write as one request for each ten variables, and one of any size when the quota is full', async () => {
    const { at, token } = await newTenant(testEnv)
    const writeOf = (variables: number): Promise<Answer> => {
      const entries = Array.from({ length: variables }, (_, index) => secret(`N${index}`, ''))
      return ask('write', { ...at, mode: 'upsert', entries }, { token })
    }
    expect(headersOf(await writeOf(10))).toEqual(['"requests";q=5;w=60', '"requests";r=4;t=48', null])
    const carrying = await writeOf(21)
    expect([carrying.status, ...headersOf(carrying)]).toEqual([200, '"requests";q=5;w=60', '"requests";r=1;t=12', null])
    const refused = await writeOf(11)
    expect([refused.status, ...headersOf(refused)]).toEqual([429, '"requests";q=5;w=60', '"requests";r=0;t=12', '12'])
    expect((await writeOf(200)).status).toBe(429)
    testEnv.clock.advance(60_000)
    expect((await writeOf(200)).status).toBe(200)
  })

  test('applies to expensive reads separately from cheap ones', async () => {
    const limited = await startTestEnv({ RATE_LIMIT_EXPENSIVE: '3' })
    const tenant = await newOwner(limited)
    await write(limited, tenant, [secret('A', 'a')])
    limited.clock.freezeAt(limited.clock.now())
    const { at, token } = tenant
    const { orgSlug } = at
    const send = (name: EndpointName, body: object): Promise<Answer> => ask(name, body, { token }, limited)
    const day = new Date(limited.clock.now()).toISOString().slice(0, 10)
    const reads: [EndpointName, object][] = [
      ['search', { orgSlug, query: 'A' }],
      ['history', at],
      ['plainHistory', at],
      ['digests', at],
      ['rollCounts', { ...at, name: 'A' }],
      ['rolls', { orgSlug }],
      ['attention', { orgSlug }],
      ['recentHistory', { orgSlug }],
      ['audit', { orgSlug }],
      ['usage', { orgSlug }],
      ['usageCallers', { orgSlug, from: day, to: day }],
    ]
    for (const [name, body] of reads) {
      limited.clock.advance(60_000)
      expect(await statuses(4, () => send(name, body))).toEqual([200, 200, 200, 429])
    }
    const refused = await send('search', { orgSlug, query: 'A' })
    expect(refused.headers.get('ratelimit-policy')).toContain('"expensive";q=3;w=60')
    expect(refused.headers.get('retry-after')).toBe('20')
    expect((await send('list', at)).status).toBe(200)
    expect((await send('evaluate', { ...at, name: 'A' })).status).toBe(200)
    expect((await (await fetch(`${limited.app.url}/metrics`)).text()).includes('{limit="expensive"} 12')).toBe(true)
  })

  test('applies to concurrent heavy requests, which wait for each other and not for those of other callers', async () => {
    const free = await startTestEnv({ RATE_LIMIT_EXPENSIVE: '0', RATE_LIMIT_REQUESTS: '0' })
    const [greedy, polite] = [await newOwner(free), await newOwner(free)]
    const large = Array.from({ length: 5 }, (_, index) => secret(`N${index}`, 'x'.repeat(60_000)))
    for (const tenant of [greedy, polite]) await write(free, tenant, large)
    const heavy = {
      search: ({ at: { orgSlug } }: TestTenant) => ({ orgSlug, query: 'N' }),
      pull: ({ at }: TestTenant) => at,
    }
    for (const [name, body] of Object.entries(heavy) as [keyof typeof heavy, (tenant: TestTenant) => object][]) {
      const send = (tenant: TestTenant): Promise<Answer> => ask(name, body(tenant), tenant, free)
      let refused: Answer[] = []
      // How many requests arrive while one is served is up to the machine.
      while (refused.length === 0) {
        const flood = Promise.all(Array.from({ length: 200 }, () => send(greedy)))
        expect((await send(polite)).status, name).toBe(200)
        const answers = await flood
        refused = answers.filter(({ status }) => status !== 200)
        for (const { status } of refused) expect(status).toBe(429)
      }
      expect(refused[0]?.body.error.message, name).toBe('Too many expensive requests are waiting. Send fewer at once.')
    }
  })

  test('is separate for a session and for a person with any token, and does not cover evaluations', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', 'a')])
    const person = newUser(tenant.at.orgSlug)
    const byPerson = async (): Promise<Answer> =>
      ask('list', tenant.at, { token: await testEnv.provider.tokenOf(person) })
    expect(await statuses(6, byPerson)).toEqual([...times(5, 200), 429])
    testEnv.clock.advance(12_000)
    expect(await statuses(2, byPerson)).toEqual([200, 429])
    expect((await ask('list', tenant.at, { token: tenant.token })).status).toBe(200)
    const evaluated = await ask('evaluate', { ...tenant.at, name: 'A' }, { token: tenant.token })
    expect(headersOf(evaluated)).toEqual([null, null, null])
    expect(await statuses(20, () => ask('pull', tenant.at, { token: tenant.token }))).toEqual(times(20, 200))
  })

  test('is checked after the credential and before the body', async () => {
    const { at, token } = await newTenant(testEnv)
    expect(await statuses(6, () => ask('list', at, { token }))).toEqual([...times(5, 200), 429])
    const tooLarge = { ...at, more: 'x'.repeat(2_000_000) }
    expect((await ask('list', tooLarge, { token })).status).toBe(429)
    expect((await ask('list', tooLarge, { token: nobodys })).status).toBe(401)
  })

  test('covers evaluations if configured, which are not billed when refused', async () => {
    const limited = await startTestEnv({ RATE_LIMIT_EVALUATIONS: '3' })
    const tenant = await newTenant(limited)
    await write(limited, tenant, [secret('A', 'a')])
    limited.clock.freezeAt(limited.clock.now())
    const { at, token } = tenant
    const send = (name: EndpointName, body: object): Promise<Answer> => ask(name, body, { token }, limited)
    expect(headersOf(await send('evaluate', { ...at, name: 'A' }))).toEqual([
      '"evaluations";q=3;w=60',
      '"evaluations";r=2;t=40',
      null,
    ])
    expect((await send('pull', at)).status).toBe(200)
    expect((await send('evaluateBatch', { ...at, entries: [{ name: 'A' }] })).status).toBe(200)
    expect((await send('evaluate', { ...at, name: 'A' })).status).toBe(429)
    expect((await send('list', at)).status).toBe(200)
    expect(await usageOf(limited.app, at.orgSlug)).toBe(3)
  })
})

describe('the rate limit of an IP', () => {
  test('applies to the logins that it may start', async () => {
    const from = newAddress()
    expect(headersOf(await ask('deviceStart', {}, { from }))).toEqual(['"logins";q=2;w=60', '"logins";r=1;t=30', null])
    expect(await statuses(2, () => ask('deviceStart', {}, { from }))).toEqual([200, 429])
    expect(headersOf(await ask('deviceStart', {}, { from }))).toEqual(['"logins";q=2;w=60', '"logins";r=0;t=30', '30'])
    expect((await ask('deviceStart', {}, { from: newAddress() })).status).toBe(200)
    testEnv.clock.advance(30_000)
    expect(await statuses(2, () => ask('deviceStart', {}, { from }))).toEqual([200, 429])
  })

  test('covers an IPv6 network as a whole', async () => {
    const asks = (from: string) => async (): Promise<Answer> => ask('deviceStart', {}, { from })
    expect(await statuses(1, asks('2001:db8:7:1::1'))).toEqual([200])
    expect(await statuses(2, asks('2001:db8:7:1:ffff::2'))).toEqual([200, 429])
    expect(await statuses(1, asks('2001:db8:7:2::1'))).toEqual([200])
  })

  test('allows polls that come early', async () => {
    const from = newAddress()
    const { deviceCode } = (await ask('deviceStart', {}, { from })).body
    const polls = await statuses(anonymous + 1, () => ask('devicePoll', { deviceCode }, { from }))
    expect(polls).toEqual([...times(anonymous, 200), 429])
    expect((await ask('tokenRefresh', { refreshToken: 'x' }, { from })).status).toBe(429)
  })

  test('applies to unknown credentials, which are not looked up anymore beyond it', async () => {
    const from = newAddress()
    const { at, token } = await newTenant(testEnv)
    expect((await ask('list', at, { token, from })).status).toBe(200)
    const guess = (): Promise<Answer> => ask('list', at, { token: nobodys, from })
    expect(headersOf(await guess())).toEqual(['"unknown";q=20;w=60', '"unknown";r=19;t=57', null])
    expect(await statuses(unknown, guess)).toEqual([...times(unknown - 1, 401), 429])
    expect(headersOf(await guess())).toEqual(['"unknown";q=20;w=60', '"unknown";r=0;t=3', '3'])
    // A known caller is not affected by others at the IP, and other IPs are not affected at all.
    expect((await ask('list', at, { token, from })).status).toBe(200)
    expect((await ask('list', at, { token: nobodys, from: newAddress() })).status).toBe(401)
    const jwt = await testEnv.provider.tokenOf(newUser())
    expect((await ask('whoami', {}, { token: jwt, from })).status).toBe(429)
    expect((await ask('whoami', {}, { token: jwt, from: newAddress() })).status).toBe(200)
    testEnv.clock.advance(3_000)
    expect(await statuses(2, guess)).toEqual([401, 429])
  })

  test('counts each unknown credential, also when the same one arrives many times at once', async () => {
    const from = newAddress()
    const guess = (): Promise<Answer> => ask('list', {}, { token: nobodys, from })
    const answers = await Promise.all(Array.from({ length: unknown }, guess))
    expect(answers.map(({ status }) => status)).toEqual(times(unknown, 401))
    expect((await guess()).status).toBe(429)
  })

  test('does not count what is cheap to refuse: a missing or malformed credential', async () => {
    const from = newAddress()
    const { at } = await newTenant(testEnv)
    expect(await statuses(unknown + 1, () => ask('list', at, { from }))).toEqual(times(unknown + 1, 401))
    const garbled = (): Promise<Answer> => ask('list', at, { token: 'svc_at_x', from })
    expect(await statuses(unknown + 1, garbled)).toEqual(times(unknown + 1, 401))
    expect((await ask('list', at, { token: nobodys, from })).status).toBe(401)
  })

  test('ignores an IP that the client claims itself', async () => {
    const direct = await startTestEnv({ ...settings, TRUSTED_PROXIES: '' })
    direct.clock.freezeAt(direct.clock.now())
    const asks = (): Promise<Answer> => ask('deviceStart', {}, { from: newAddress() }, direct)
    expect(await statuses(3, asks)).toEqual([200, 200, 429])
  })
})

test('refusals are counted by limit', async () => {
  const from = newAddress()
  const { at, token } = await newTenant(testEnv)
  await statuses(6, () => ask('list', at, { token }))
  await statuses(3, () => ask('deviceStart', {}, { from }))
  await statuses(anonymous + 1, () => ask('tokenRefresh', { refreshToken: 'x' }, { from }))
  await statuses(unknown + 1, () => ask('list', at, { token: nobodys, from }))
  const text = await (await fetch(`${testEnv.app.url}/metrics`)).text()
  for (const limit of ['requests', 'logins', 'anonymous', 'unknown']) {
    expect(text).toMatch(new RegExp(`^rollkey_rate_limited_total\\{limit="${limit}"\\} [1-9]`, 'm'))
  }
})
