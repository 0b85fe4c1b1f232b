/** Tests client keys: what they see, where and how often they work, and who makes and ends them (docs/client-keys.md). */
import { endpoints, type EndpointName } from '@rollkey/contract'
import { describe, expect, onTestFinished, test } from 'vitest'
import { endOfMonth, monthOf } from '../src/base/clock.ts'
import { usageOf } from '../testkit/app.ts'
import { roll, secret } from '../testkit/entries.ts'
import { EventReader } from '../testkit/events.ts'
import { OfrepClient, pathOf } from '../testkit/ofrep.ts'
import { newOwner, startTestEnv, useTestEnv, write, type TestEnv, type TestTenant } from '../testkit/test-env.ts'

const testEnv = useTestEnv()
const origin = 'https://shop.example'
const user = { targetingKey: 'user-1' }

function exposed(entry: object): object {
  return { ...entry, exposure: 'client' }
}

async function newKey(env: TestEnv, { at, token }: TestTenant, more: object = {}) {
  return env.client.must('keyCreate', { ...at, name: 'web', origins: [origin], ...more }, { token })
}

/** Creates an owner with variables of each exposure, and a client key. */
async function scene(more: object = {}, env = testEnv) {
  const owner = await newOwner(env)
  const plain = { ...secret('PUBLIC', 'plain'), exposure: 'plain' }
  const entries = [exposed(secret('TITLE', 'Shop')), exposed(roll('R', 0.5)), secret('HIDDEN', 'hidden'), plain]
  await write(env, owner, entries)
  const key = await newKey(env, owner, more)
  return { owner, key, token: key.key as string, ofrep: new OfrepClient(env.app.url) }
}

/** Stops the clock until the end of the current test, at the start of a month, by which evaluations count. */
function stopAtStartOfMonth(): void {
  testEnv.clock.freezeAt(endOfMonth(monthOf(testEnv.clock.now())) + 1)
  onTestFinished(() => testEnv.clock.run())
}

/** Opens an event stream until the end of the current test. */
async function follow(uri: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const reader = await EventReader.at(`${testEnv.app.url}${uri}`, headers)
  onTestFinished(() => reader.close())
  return reader
}

describe('a client key', () => {
  test('has what was asked for, is shown again, and counts its evaluations', async () => {
    stopAtStartOfMonth()
    const { owner, key, token, ofrep } = await scene({ evaluationsPerMonth: 7 })
    const { projectSlug, stageSlug, orgSlug } = owner.at
    expect(key).toMatchObject({
      id: expect.stringMatching(/^key_[\w-]{20}$/),
      key: expect.stringMatching(/^svc_ck_[\w-]{43}$/),
      name: 'web',
      projectSlug,
      stageSlug,
      origins: [origin],
      evaluationsPerMonth: 7,
      createdBy: owner.user.userId,
    })
    await ofrep.all(user, { token })
    await ofrep.one('TITLE', user, { apiKey: token })
    const { keys } = await testEnv.client.must('keyList', { orgSlug }, { token: owner.token })
    const { requestId: _, ...created } = key
    expect(keys).toEqual([{ ...created, evaluationsThisMonth: 2, lastUsedAtMs: keys[0].lastUsedAtMs }])
    expect(await usageOf(testEnv.app, orgSlug)).toBe(2)
    const { callers } = await testEnv.client.must(
      'usageCallers',
      { orgSlug, from: '2020-01-01', to: '2099-12-31' },
      { token: owner.token },
    )
    expect(callers).toMatchObject([{ caller: key.id, how: 'service', projectSlug, stageSlug, evaluations: 2 }])
  })

  test('sees only what is exposed to client programs; anything else is a variable that does not exist', async () => {
    const { token, ofrep, owner } = await scene()
    const all = await ofrep.all(user, { token })
    expect(all.body.flags.map(({ key }: { key: string }) => key)).toEqual(['R', 'TITLE'])
    const body = (text: string): string => text.replaceAll(/HIDDEN|PUBLIC|NOWHER/g, 'NAME')
    const bodies = await Promise.all(
      ['HIDDEN', 'PUBLIC', 'NOWHER'].map(async (name) => {
        const { status, text, headers } = await ofrep.one(name, user, { token })
        const names = [...headers.keys()].filter((header) => header !== 'date').toSorted()
        return [status, body(text), names, headers.get('content-length')]
      }),
    )
    expect(bodies[0]).toEqual(bodies[2])
    expect(bodies[1]).toEqual(bodies[2])
    expect(bodies[0]?.[0]).toBe(404)
    const below = pathOf(owner.at)
    expect((await ofrep.all(user, { token, below })).text).toBe(all.text)
    expect((await ofrep.all(user, { token, below: pathOf({ ...owner.at, stageSlug: 'test' }) })).status).toBe(403)
  })

  test('is refused by every endpoint of the API, with what it is for', async () => {
    const { token, owner } = await scene()
    const { orgSlug } = owner.at
    for (const [name, { auth }] of Object.entries(endpoints)) {
      if (auth === 'none' || auth === 'provider') continue
      const { status, body } = await testEnv.client.call(name as EndpointName, { orgSlug }, { token })
      expect([name, status, body.error?.code]).toEqual([name, 403, 'FORBIDDEN'])
      expect(body.error.message).toContain('/ofrep/v1/')
    }
    const { status } = await testEnv.client.call('deviceComplete', { userCode: 'AAAAAAAA' }, { token })
    expect(status).toBe(401)
  })

  test('ends when it is revoked, once, and with its stage', async () => {
    const { key, token, owner } = await scene()
    const { orgSlug, projectSlug, stageSlug } = owner.at
    const nodes = testEnv.app.urls.map((url) => new OfrepClient(url))
    const statusOf = async (by = token) => {
      const statuses = await Promise.all(nodes.map(async (node) => (await node.all(user, { token: by })).status))
      return [...new Set(statuses)].join()
    }
    expect(await statusOf()).toBe('200')
    const as = { token: owner.token }
    const revoke = (id = key.id) => testEnv.client.call('keyRevoke', { orgSlug, id }, as)
    const answers = await Promise.all([revoke(), revoke(), revoke()])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404])
    expect(await statusOf()).toBe('401')
    expect((await testEnv.client.must('keyList', { orgSlug }, as)).keys).toEqual([])
    const second = await newKey(testEnv, owner, { name: 'Web shop' })
    expect(await statusOf(second.key)).toBe('200')
    const confirmed = { token: await testEnv.provider.confirmedTokenOf(owner.user) }
    await testEnv.client.must('stageDelete', { orgSlug, projectSlug, stageSlug, confirm: stageSlug }, confirmed)
    expect(await statusOf(second.key)).toBe('401')
    const { entries } = await testEnv.client.must('audit', { orgSlug }, as)
    const ofKeys = entries.filter(({ action }: { action: string }) => action.startsWith('client-key.'))
    expect(ofKeys.map(({ action, facts }: { action: string; facts: object }) => [action, facts])).toEqual([
      ['client-key.revoke', { keyId: second.id, name: 'Web shop' }],
      ['client-key.create', { keyId: second.id, name: 'Web shop', origins: [origin] }],
      ['client-key.revoke', { keyId: key.id, name: 'web' }],
      ['client-key.create', { keyId: key.id, name: 'web', origins: [origin] }],
    ])
  })

  test('is for those who manage and read its stage, and of another organization unknown', async () => {
    const { key, owner } = await scene()
    const other = await newOwner(testEnv)
    const { orgSlug } = other.at
    expect((await testEnv.client.call('keyRevoke', { orgSlug, id: key.id }, { token: other.token })).status).toBe(404)
    expect((await testEnv.client.must('keyList', { orgSlug }, { token: other.token })).keys).toEqual([])
    const wrong = { ...owner.at, name: 'web', origins: [origin] }
    expect((await testEnv.client.call('keyCreate', wrong, { token: other.token })).status).toBe(403)
  })

  test('for a protected stage needs a fresh confirmation of someone who may read it', async () => {
    const owner = await newOwner(testEnv)
    await write(testEnv, owner, [exposed(secret('TITLE', 'Shop'))])
    const { orgSlug, projectSlug, stageSlug } = owner.at
    const confirmed = { token: await testEnv.provider.confirmedTokenOf(owner.user) }
    const place = { orgSlug, projectSlug, stageSlug }
    await testEnv.client.must('stageProtect', { ...place, isProtected: true }, confirmed)
    const input = { ...place, name: 'web', origins: [] }
    expect((await testEnv.client.call('keyCreate', input, confirmed)).body.error.code).toBe('FORBIDDEN')
    const principal = { kind: 'user', id: owner.user.userId }
    await testEnv.client.must('accessGrant', { ...place, principal, role: 'reader' }, confirmed)
    const unconfirmed = await testEnv.client.call('keyCreate', input, { token: owner.token })
    expect(unconfirmed.body.error.code).toBe('CONFIRMATION_REQUIRED')
    const { key } = await testEnv.client.must('keyCreate', input, confirmed)
    const { body } = await new OfrepClient(testEnv.app.url).all(user, { token: key })
    expect(body.flags).toMatchObject([{ key: 'TITLE', value: 'Shop' }])
  })

  test.each([
    [{ origins: ['https://shop.example/'] }],
    [{ origins: ['shop.example'] }],
    [{ origins: ['https://Shop.example'] }],
    [{ origins: ['https://shop.example:443'] }],
    [{ origins: ['null'] }],
    [{ origins: [origin, origin] }],
    [{ origins: Array.from({ length: 21 }, (_, index) => `https://${index}.example`) }],
    [{ origins: undefined }],
    [{ evaluationsPerMonth: 0 }],
    [{ evaluationsPerMonth: 1.5 }],
    [{ name: ' ' }],
  ])('is not created with %j', async (more) => {
    const owner = await newOwner(testEnv)
    const input = { ...owner.at, name: 'web', origins: [], ...more }
    const { status, body } = await testEnv.client.call('keyCreate', input, { token: owner.token })
    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('a page', () => {
  const corsOf = ({ headers }: { headers: Headers }) => [
    headers.get('access-control-allow-origin'),
    headers.get('vary')?.includes('origin') ?? false,
  ]

  test('uses a key only from the origins of the key, and only they may read the answer', async () => {
    const { token, ofrep } = await scene()
    const from = (given: string) => ofrep.all(user, { token, headers: { origin: given } })
    const allowed = await from(origin)
    expect([allowed.status, corsOf(allowed)]).toEqual([200, [origin, true]])
    for (const given of ['https://evil.example', 'http://shop.example', `${origin}:8443`, 'null']) {
      const refused = await from(given)
      expect([refused.status, corsOf(refused), refused.body.errorDetails]).toEqual([
        403,
        [null, true],
        expect.stringContaining('not for web pages of this origin'),
      ])
    }
    // An app sends no origin.
    expect((await ofrep.all(user, { token })).status).toBe(200)
  })

  test('of another origin cannot follow the events either', async () => {
    const { token, ofrep } = await scene()
    const { body } = await ofrep.all(user, { token, headers: { origin } })
    const uri = body.eventStreams[0].endpoint.requestUri as string
    expect((await follow(uri, { origin })).response.headers.get('access-control-allow-origin')).toBe(origin)
    const refused = await follow(uri, { origin: 'https://evil.example' })
    expect([refused.response.status, corsOf(refused.response)]).toEqual([403, [null, true]])
  })

  test('of any origin uses a key for all, and none uses one for apps', async () => {
    const { token, ofrep, owner } = await scene({ origins: ['*'] })
    const evil = { origin: 'https://evil.example' }
    const answer = await ofrep.all(user, { token, headers: evil })
    expect([answer.status, corsOf(answer)]).toEqual([200, ['https://evil.example', true]])
    const { key: ofApps } = await newKey(testEnv, owner, { origins: [] })
    expect((await ofrep.all(user, { token: ofApps, headers: { origin } })).status).toBe(403)
    expect((await ofrep.all(user, { token: ofApps })).status).toBe(200)
  })

  test('of an origin that the operator does not list reads nothing', async () => {
    const env = await startTestEnv({ CORS_ORIGINS: 'https://other.example' })
    const { token, ofrep } = await scene({}, env)
    const answer = await ofrep.all(user, { token, headers: { origin } })
    expect([answer.status, corsOf(answer)]).toEqual([200, [null, true]])
  })
})

describe('the use of a key', () => {
  test('is limited for each address, so that one does not use up what others may', async () => {
    const env = await startTestEnv({ RATE_LIMIT_CLIENT_KEYS: '3', TRUSTED_PROXIES: 'loopback' })
    const { token, ofrep, owner } = await scene({}, env)
    env.clock.freezeAt(env.clock.now())
    const from = async (address: string, by = token) =>
      ofrep.all(user, { token: by, headers: { 'x-forwarded-for': address } })
    for (let count = 0; count < 3; count++) expect((await from('203.0.113.1')).status).toBe(200)
    const refused = await from('203.0.113.1')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect((await from('203.0.113.2')).status).toBe(200)
    const { key: second } = await newKey(env, owner)
    expect((await from('203.0.113.1', second)).status).toBe(200)
  })

  test('ends with its evaluations of the month, which others of the organization keep', async () => {
    stopAtStartOfMonth()
    const { token, ofrep, owner } = await scene({ evaluationsPerMonth: 3 })
    const { headers } = await ofrep.all(user, { token })
    const etag = headers.get('etag') ?? ''
    // What is not billed does not count.
    for (let count = 0; count < 5; count++) {
      expect((await ofrep.all(user, { token, headers: { 'if-none-match': etag } })).status).toBe(304)
      expect((await ofrep.one('NOTHING', user, { token })).status).toBe(404)
    }
    for (let count = 0; count < 2; count++) expect((await ofrep.one('TITLE', user, { token })).status).toBe(200)
    const refused = await ofrep.one('TITLE', user, { token })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
    expect(refused.body.errorDetails).toContain('evaluations of this month')
    const name = { ...owner.at, name: 'TITLE' }
    expect((await testEnv.client.call('evaluate', name, { token: owner.token })).status).toBe(200)
    const { key: second } = await newKey(testEnv, owner)
    expect((await ofrep.one('TITLE', user, { token: second })).status).toBe(200)
    testEnv.clock.advance(31 * 24 * 60 * 60_000)
    expect((await ofrep.one('TITLE', user, { token })).status).toBe(200)
  })

  test('counts on all nodes within seconds', async () => {
    stopAtStartOfMonth()
    const { token, ofrep, owner } = await scene({ evaluationsPerMonth: 3 })
    const nodes = testEnv.app.urls.map((url) => new OfrepClient(url))
    // What does not exist is not billed, and is refused too after the last evaluation.
    const statusOf = async (node: OfrepClient) => (await node.one('NOTHING', user, { token })).status
    for (const node of nodes) expect(await statusOf(node)).toBe(404)
    for (let count = 0; count < 3; count++) expect((await ofrep.one('TITLE', user, { token })).status).toBe(200)
    expect(await usageOf(testEnv.app, owner.at.orgSlug)).toBe(3)
    testEnv.clock.advance(10_000)
    for (const node of nodes) await expect.poll(() => statusOf(node)).toBe(429)
  })
})

test('of 1,000 variables of the server, a key sees nothing: no name, value, count, event or tag', async () => {
  // Another ticket would change the answers.
  testEnv.clock.freezeAt(Math.ceil(testEnv.clock.now() / 3_600_000) * 3_600_000)
  onTestFinished(() => testEnv.clock.run())
  const { token, ofrep, owner } = await scene()
  const { body } = await ofrep.all(user, { token })
  const uri = body.eventStreams[0].endpoint.requestUri as string
  const events = await follow(uri)
  expect(await events.next()).toMatchObject({ data: { type: 'refetchEvaluation' } })
  const canary = `canary-${crypto.randomUUID()}`
  const names = Array.from({ length: 1_000 }, (_, index) => `${canary}-name-${index}`)
  const observe = async (): Promise<string> => {
    const all = await ofrep.all(user, { token })
    const one = await ofrep.one('TITLE', user, { token })
    const missing = await Promise.all(
      [names[0] ?? '', names[999] ?? ''].map((name) => ofrep.one(name, user, { token })),
    )
    expect(missing.map(({ status }) => status)).toEqual([404, 404])
    const conditional = await ofrep.all(user, { token, headers: { 'if-none-match': all.headers.get('etag') ?? '' } })
    expect(conditional.status).toBe(304)
    const known = new Set(['date', 'x-request-id', 'ratelimit', 'ratelimit-policy'])
    return JSON.stringify(
      [all, one, conditional].map(({ text, headers }) => [text, [...headers].filter(([name]) => !known.has(name))]),
    )
  }
  const before = await observe()
  await write(
    testEnv,
    owner,
    names.map((name, index) => (index % 2 === 0 ? secret(name, canary) : roll(name, 0.5))),
  )
  expect(await observe()).toBe(before)
  expect(before).not.toContain(canary)
  // Each kind of change of a hidden variable, and one that hides it less, but not from people alone.
  const as = { token: owner.token }
  await write(testEnv, owner, [secret(names[0] ?? '', `${canary}-changed`)])
  await testEnv.client.must('write', { ...owner.at, mode: 'upsert', deletes: [names[2]] }, as)
  await testEnv.client.must('update', { ...owner.at, updates: [{ name: names[1], chance: 1 }] }, as)
  await testEnv.client.must('update', { ...owner.at, updates: [{ name: names[4], exposure: 'plain' }] }, as)
  await testEnv.client.must('update', { ...owner.at, updates: [{ name: names[4], description: canary }] }, as)
  expect(await observe()).toBe(before)
  // No event has come so far, so the next one is of what becomes visible.
  const version = (await (await follow(uri)).next())?.id ?? ''
  expect(version).toMatch(/^[\w-]{43}$/)
  const current = await follow(uri, { 'last-event-id': version })
  expect(await current.next()).toEqual({ event: undefined, id: version, data: undefined })
  // A variable that becomes visible changes what the key sees, and so does one that no longer is.
  await testEnv.client.must('update', { ...owner.at, updates: [{ name: names[4], exposure: 'client' }] }, as)
  const shown = await ofrep.all(user, { token })
  expect(shown.body.flags).toHaveLength(3)
  for (const reader of [events, current]) {
    const event = await reader.next()
    expect(event).toMatchObject({ data: { type: 'refetchEvaluation' } })
    expect(event?.id).not.toBe(version)
  }
  await testEnv.client.must('update', { ...owner.at, updates: [{ name: names[4], exposure: 'secret' }] }, as)
  expect(await observe()).toBe(before)
})
