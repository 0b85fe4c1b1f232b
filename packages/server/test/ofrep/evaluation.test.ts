/** Tests evaluation by OFREP: its answers, errors, conditional requests and limits (docs/ofrep.md). */
import { describe, expect, test } from 'vitest'
import { usageOf } from '../../testkit/app.ts'
import { roll, secret } from '../../testkit/entries.ts'
import { query } from '../../testkit/store.ts'
import { OfrepClient, pathOf, type OfrepExtras } from '../../testkit/ofrep.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  startTestEnv,
  useTestEnv,
  write,
  type TestTenant,
} from '../../testkit/test-env.ts'

const testEnv = useTestEnv()

const typed = [
  secret('TEXT', 'h"i'),
  secret('FLAG', 'true', 'boolean'),
  secret('COUNT', '-42', 'int64'),
  secret('RATE', '0.50', 'float'),
  secret('DAY', '2027-02-28', 'date'),
  secret('LAYOUT', '{ "title": "ü", "sizes": [1, 2] }', 'json'),
  secret('LIST', '[1, "a", null]', 'json'),
  secret('NOTHING', 'null', 'json'),
  secret('HUGE', '9007199254740993', 'int64'),
]

/** Creates an owner with a stage and a service token for it. */
async function scene(entries: object[] = typed) {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, entries)
  const { projectSlug, stageSlug } = tenant.at
  const { token, id } = await newServiceToken(testEnv, tenant, { projectSlug, stageSlug, role: 'reader' })
  return { tenant, token: token as string, tokenId: id as string, ofrep: new OfrepClient(testEnv.app.url) }
}

const user = { targetingKey: 'user-1' }

describe('one flag', () => {
  test('has the JSON value of its declared type, and says how it was chosen', async () => {
    const { ofrep, token } = await scene()
    const values: Record<string, unknown> = {
      TEXT: 'h"i',
      FLAG: true,
      COUNT: -42,
      RATE: 0.5,
      DAY: '2027-02-28',
      LAYOUT: { title: 'ü', sizes: [1, 2] },
      LIST: [1, 'a', null],
      NOTHING: null,
    }
    for (const [key, value] of Object.entries(values)) {
      const { status, body } = await ofrep.one(key, {}, { token })
      expect([status, body]).toEqual([
        200,
        { key, value, reason: 'STATIC', variant: 'default', metadata: expect.objectContaining({ kind: 'secret' }) },
      ])
    }
  })

  test.each([
    ['1', '1.0'],
    ['0', '0.0'],
    ['-0', '-0.0'],
    ['-42', '-42.0'],
    ['12345678901234567890', '12345678901234567890.0'],
    ['1.0', '1.0'],
    ['0.50', '0.50'],
    ['1e2', '1e2'],
    ['1E-7', '1E-7'],
  ])('that is a float %s is %s, which no language reads as an integer', async (stored, sent) => {
    const { ofrep, token, tenant } = await scene([secret('RATE', stored, 'float'), secret('COUNT', '1', 'int64')])
    expect((await ofrep.one('RATE', user, { token })).text).toContain(`"value":${sent},`)
    const { text } = await ofrep.all(user, { token })
    expect(text).toContain(`"value":${sent},`)
    expect(text).toContain('"value":1,')
    // Elsewhere it is what was stored.
    expect(await testEnv.client.must('evaluate', { ...tenant.at, name: 'RATE' }, { token })).toMatchObject({
      value: stored,
    })
  })

  test('does not round an integer that JSON numbers cannot carry', async () => {
    const { ofrep, token, tenant } = await scene()
    const { status, body } = await ofrep.one('HUGE', user, { token })
    expect([status, body.errorCode]).toEqual([400, 'GENERAL'])
    expect(body.errorDetails).toContain('declare the variable as a string')
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(0)
  })

  test('of a roll is what evaluate decides for the targeting key and the roll key', async () => {
    const { ofrep, token, tenant } = await scene([roll('R', 0.5)])
    for (let index = 0; index < 40; index++) {
      const context = { targetingKey: `user-${index}`, ...(index % 2 === 1 && { rollKey: 'exp' }) }
      const { body } = await ofrep.one('R', context, { token })
      const seeded = { seed: context.targetingKey, ...(index % 2 === 1 && { key: 'exp' }) }
      const expected = await testEnv.client.must('evaluate', { ...tenant.at, name: 'R', ...seeded }, { token })
      expect(body).toEqual({
        key: 'R',
        value: expected.value,
        reason: 'SPLIT',
        variant: expected.decision,
        metadata: { kind: 'ab_roll' },
      })
    }
  })

  test('needs a targeting key or a roll key only if the value depends on it', async () => {
    const { ofrep, token, tenant } = await scene([roll('HALF', 0.5), roll('ALL', 1), roll('NONE', 0)])
    for (const context of [{}, { targetingKey: '' }, { targetingKey: null }, { plan: 'pro' }]) {
      expect(await ofrep.one('HALF', context, { token })).toMatchObject({
        status: 400,
        body: { key: 'HALF', errorCode: 'TARGETING_KEY_MISSING' },
      })
      expect((await ofrep.one('ALL', context, { token })).body).toMatchObject({
        value: 'A',
        variant: 'a',
        reason: 'STATIC',
      })
      expect((await ofrep.one('NONE', context, { token })).body).toMatchObject({
        value: 'B',
        variant: 'b',
        reason: 'STATIC',
      })
    }
    expect(await ofrep.one('HALF', { rollKey: 'exp' }, { token })).toMatchObject({ status: 200 })
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(9)
  })

  test('may have any name, also where a provider does not encode it', async () => {
    const names = ['new checkout', 'a/b', '100%', 'ü', 'a?b', '__proto__', 'flags']
    const { ofrep, token } = await scene(names.map((name) => secret(name, `value of ${name}`)))
    for (const name of names) expect((await ofrep.one(name, user, { token })).body.value).toBe(`value of ${name}`)
    for (const name of ['a/b', '100%', 'flags']) {
      const raw = await fetch(`${testEnv.app.url}/ofrep/v1/evaluate/flags/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ context: user }),
      })
      expect(await raw.json()).toMatchObject({ key: name, value: `value of ${name}` })
    }
  })

  test.each([
    ['', 'an empty key'],
    ['/..', 'what clients make of the key ..'],
  ])('of a path that names none is not found, in the form of OFREP: flags%s (%s)', async (rest) => {
    const answer = await fetch(`${testEnv.app.url}/ofrep/v1/evaluate/flags${rest}/`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({
      errorCode: 'FLAG_NOT_FOUND',
      errorDetails: 'The path names no flag: put its key after /ofrep/v1/evaluate/flags/.',
    })
  })

  test('is found below a base URL that ends with a slash', async () => {
    const { token, tenant } = await scene()
    for (const base of ['/', `${pathOf(tenant.at)}/`]) {
      const headers = { authorization: `Bearer ${token}` }
      const body = JSON.stringify({ context: user })
      const ask = (path: string) => fetch(`${testEnv.app.url}${base}${path}`, { method: 'POST', headers, body })
      expect(await (await ask('/ofrep/v1/evaluate/flags/TEXT')).json()).toMatchObject({ value: 'h"i' })
      expect((await ask('/ofrep/v1/evaluate/flags')).status).toBe(200)
    }
  })

  test('that does not exist is not found, and not billed', async () => {
    const { ofrep, token, tenant } = await scene()
    const { status, body, headers } = await ofrep.one('MISSING', user, { token })
    expect([status, body]).toEqual([
      404,
      { key: 'MISSING', errorCode: 'FLAG_NOT_FOUND', errorDetails: 'The stage has no variable "MISSING".' },
    ])
    expect(headers.get('x-request-id')).toBeTruthy()
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(0)
  })
})

describe('all flags', () => {
  test('are in one answer and one billing event, with those that have no value', async () => {
    const { ofrep, token, tenant } = await scene([...typed, roll('HALF', 0.5)])
    const { status, body, headers } = await ofrep.all({}, { token })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    // oxlint-disable-next-line typescript/no-explicit-any -- flags of any type
    const flags = new Map(body.flags.map((flag: any) => [flag.key, flag.value ?? flag.errorCode ?? null]))
    expect(Object.fromEntries(flags)).toEqual({
      TEXT: 'h"i',
      FLAG: true,
      COUNT: -42,
      RATE: 0.5,
      DAY: '2027-02-28',
      LAYOUT: { title: 'ü', sizes: [1, 2] },
      LIST: [1, 'a', null],
      NOTHING: null,
      HUGE: 'GENERAL',
      HALF: 'TARGETING_KEY_MISSING',
    })
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
  })

  test('each equal the flag alone', async () => {
    const { ofrep, token } = await scene([...typed.slice(0, -1), roll('HALF', 0.5), roll('OTHER', 0.3)])
    const { text } = await ofrep.all(user, { token })
    const flags = JSON.parse(text).flags as { key: string }[]
    expect(flags).toHaveLength(10)
    for (const { key } of flags) expect(text).toContain((await ofrep.one(key, user, { token })).text)
  })

  test('are sent in pieces if they are large', async () => {
    const big = 'ü'.repeat(20_000)
    const { ofrep, token } = await scene(Array.from({ length: 40 }, (_, index) => secret(`BIG_${index}`, big)))
    const { body } = await ofrep.all({}, { token })
    expect(body.flags).toHaveLength(40)
    expect(body.flags.every(({ value }: { value: string }) => value === big)).toBe(true)
  })

  test('have a tag, and are neither evaluated nor billed again while nothing changes', async () => {
    const { ofrep, token, tenant } = await scene([roll('HALF', 0.5)])
    const first = await ofrep.all(user, { token })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    const again = (context: object, extras: OfrepExtras = {}) =>
      ofrep.all(context, { token, headers: { 'if-none-match': etag }, ...extras })
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      expect(await again(user, { headers: { 'if-none-match': value } })).toMatchObject({ status: 304, text: '' })
    expect((await again(user)).headers.get('etag')).toBe(etag)
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
    // Any part of the context may decide, so it is part of the tag.
    for (const context of [{ targetingKey: 'user-2' }, { ...user, plan: 'pro' }, { ...user, rollKey: 'x' }])
      expect(await again(context)).toMatchObject({ status: 200 })
    // A body that is not read for an answer 304 is still checked for any other one.
    for (const tags of [etag, '*', `"other", *`])
      expect(await ofrep.all(user, { token, raw: '{', headers: { 'if-none-match': tags } })).toMatchObject({
        status: 400,
        body: { errorCode: 'PARSE_ERROR' },
      })
    await write(testEnv, tenant, [roll('HALF', 0.6)])
    const changed = await again(user)
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
  })

  test('have another tag for each body, down to its bytes', async () => {
    const { ofrep, token } = await scene([roll('HALF', 0.5)])
    const tagOf = async (raw: string) => (await ofrep.all(user, { token, raw })).headers.get('etag')
    const names = ['u', 'ü', '\u00c3\u00bc', '漢', ' u']
    const bodies = [...names.map((name) => JSON.stringify({ context: { targetingKey: name } })), '{"context":{} }']
    const tags = await Promise.all(bodies.map(tagOf))
    expect(new Set(tags).size).toBe(bodies.length)
  })

  test('have the same tag and bytes on every node', async () => {
    const { token } = await scene([...typed, roll('HALF', 0.5)])
    const answers = await Promise.all(
      testEnv.app.urls.flatMap((url) => [
        new OfrepClient(url).all(user, { token }),
        new OfrepClient(url).all(user, { token }),
      ]),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1)
  })

  test('of a stage that does not exist are none', async () => {
    const tenant = await newTenant(testEnv)
    const { body } = await new OfrepClient(testEnv.app.url).all(user, { token: tenant.token, below: pathOf(tenant.at) })
    expect(body.flags).toEqual([])
  })
})

test('a value that does not open is an error alone, and keeps its place among the others, without a tag', async () => {
  const { token, tenant } = await scene([secret('BROKEN', 'canary'), secret('WHOLE', 'whole')])
  const { orgSlug } = tenant.at
  const broken = `update variables set sealed = (select w.sealed from variables w where w.name = 'WHOLE' and w.stage_id = variables.stage_id)
    where name = 'BROKEN' and stage_id in (select s.id from stages s join projects p on p.id = s.project_id
      join organizations o on o.id = p.org_id where o.slug = $1)`
  await query(testEnv.app.dataDir, broken, orgSlug)
  await testEnv.restart()
  const ofrep = new OfrepClient(testEnv.app.url)
  expect(await ofrep.one('BROKEN', user, { token })).toMatchObject({
    status: 500,
    body: { key: 'BROKEN', errorCode: 'GENERAL', errorDetails: expect.stringMatching(/\S/) },
  })
  expect(await usageOf(testEnv.app, orgSlug)).toBe(0)
  const { status, body, headers } = await ofrep.all(user, { token })
  expect([status, headers.get('etag')]).toEqual([200, null])
  expect(body.flags).toMatchObject([
    { key: 'BROKEN', errorCode: 'GENERAL' },
    { key: 'WHOLE', value: 'whole' },
  ])
})

describe('a credential', () => {
  test('stands in Authorization or X-API-Key, once', async () => {
    const { ofrep, token } = await scene()
    expect(await ofrep.one('TEXT', {}, { apiKey: token })).toMatchObject({ status: 200 })
    expect(await ofrep.all({}, { apiKey: token })).toMatchObject({ status: 200 })
    for (const extras of [
      {},
      { apiKey: 'x' },
      { token: 'x' },
      { token, apiKey: token },
      { apiKey: `${token}, ${token}` },
    ])
      expect(await ofrep.one('TEXT', {}, extras)).toMatchObject({
        status: 401,
        body: { key: 'TEXT', errorCode: 'GENERAL' },
      })
  })

  test('with a wider scope names the stage in the path', async () => {
    const { ofrep, tenant } = await scene()
    const wide = await newServiceToken(testEnv, tenant, {})
    for (const token of [wide.token, tenant.token]) {
      const { status, body } = await ofrep.one('TEXT', {}, { token })
      expect([status, body.errorCode]).toEqual([400, 'GENERAL'])
      expect(body.errorDetails).toContain('/projects/PROJECT/stages/STAGE')
      expect(await ofrep.one('TEXT', {}, { token, below: pathOf(tenant.at) })).toMatchObject({ status: 200 })
      expect(await ofrep.all({}, { token, below: pathOf(tenant.at) })).toMatchObject({ status: 200 })
    }
  })

  test('of another stage is refused, whether or not the stage exists', async () => {
    const { ofrep, token, tenant } = await scene()
    await write(testEnv, { ...tenant, at: { ...tenant.at, stageSlug: 'dev' } }, [secret('TEXT', 'x')])
    for (const stageSlug of ['dev', 'none'])
      expect(await ofrep.one('TEXT', {}, { token, below: pathOf({ ...tenant.at, stageSlug }) })).toMatchObject({
        status: 403,
        body: { key: 'TEXT', errorCode: 'GENERAL' },
      })
  })

  test('that was revoked is refused by every node', async () => {
    const { token, tokenId, tenant } = await scene()
    const clients = testEnv.app.urls.map((url) => new OfrepClient(url))
    for (const ofrep of clients) expect(await ofrep.all(user, { token })).toMatchObject({ status: 200 })
    await testEnv.client.must('tokenRevoke', { orgSlug: tenant.at.orgSlug, id: tokenId }, { token: tenant.token })
    for (const ofrep of clients) {
      expect(await ofrep.all(user, { token })).toMatchObject({ status: 401 })
      expect(await ofrep.all(user, { token, headers: { 'if-none-match': '*' } })).toMatchObject({ status: 401 })
    }
  })

  test('of a server is refused in a browser, at every endpoint', async () => {
    const { ofrep, token, tenant } = await scene()
    const headers = { origin: 'https://shop.example' }
    const { status, body } = await ofrep.one('TEXT', {}, { token, headers })
    expect(status).toBe(403)
    expect(body.errorDetails).toContain('A service token must not be in a web page')
    expect(await testEnv.client.call('evaluate', { ...tenant.at, name: 'TEXT' }, { token, headers })).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN' } },
    })
    const person = await ofrep.one('TEXT', {}, { token: tenant.token, headers, below: pathOf(tenant.at) })
    expect(person.status).toBe(200)
    expect(person.headers.get('access-control-expose-headers')).toContain('etag')
  })

  test('without read gets the answer of a stage that does not exist', async () => {
    const { ofrep, tenant } = await scene()
    const stranger = await newTenant(testEnv)
    const answer = (of: TestTenant, at: { projectSlug: string; stageSlug: string }) =>
      ofrep.one('TEXT', {}, { token: of.token, below: pathOf(at) })
    const [there, nowhere] = [
      await answer(stranger, tenant.at),
      await answer(stranger, { projectSlug: 'none', stageSlug: 'none' }),
    ]
    expect([there.status, there.text]).toEqual([404, nowhere.text])
  })
})

describe('a request', () => {
  test('that OFREP does not allow has its form of an error', async () => {
    const { ofrep, token, tenant } = await scene()
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const wrong: [raw: string | Uint8Array<ArrayBuffer>, errorCode: string][] = [
      ['', 'PARSE_ERROR'],
      ['{', 'PARSE_ERROR'],
      ['null', 'PARSE_ERROR'],
      ['[]', 'PARSE_ERROR'],
      ['"context"', 'PARSE_ERROR'],
      ['context=1', 'PARSE_ERROR'],
      [new Uint8Array([0x7b, 0xff, 0x7d]), 'PARSE_ERROR'],
      [deep, 'PARSE_ERROR'],
      ['{}', 'INVALID_CONTEXT'],
      ['{"context":null}', 'INVALID_CONTEXT'],
      ['{"context":[]}', 'INVALID_CONTEXT'],
      ['{"context":"user-1"}', 'INVALID_CONTEXT'],
      ['{"context":{"targetingKey":1}}', 'INVALID_CONTEXT'],
      ['{"context":{"targetingKey":{}}}', 'INVALID_CONTEXT'],
      ['{"context":{"targetingKey":true}}', 'INVALID_CONTEXT'],
      ['{"context":{"rollKey":["x"]}}', 'INVALID_CONTEXT'],
      ['{"context":{"targetingKey":"\\ud800"}}', 'INVALID_CONTEXT'],
      [JSON.stringify({ context: { targetingKey: 'ü'.repeat(513) } }), 'INVALID_CONTEXT'],
    ]
    for (const [raw, errorCode] of wrong) {
      const label = String(raw).slice(0, 60)
      expect(await ofrep.one('TEXT', {}, { token, raw }), label).toMatchObject({
        status: 400,
        body: { key: 'TEXT', errorCode },
      })
      expect(await ofrep.all({}, { token, raw }), label).toMatchObject({ status: 400, body: { errorCode } })
    }
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(0)
  })

  test('may be strange: deep, large, with duplicate names or another content type', async () => {
    const { ofrep, token } = await scene([roll('HALF', 0.5)])
    const expected = (await ofrep.one('HALF', user, { token })).text
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const strange = [
      `{"context":{"targetingKey":"user-1","deep":${deep}}}`,
      `{"context":{"targetingKey":"user-1","big":"${'x'.repeat(1_000_000)}"}}`,
      '{"context":{"targetingKey":"other","targetingKey":"user-1"}}',
      '{"context":{"targetingKey":"other"},"context":{"targetingKey":"user-1"}}',
      '{"context":{"targetingKey":"user-1","__proto__":{"rollKey":"x"},"constructor":1}}',
    ]
    for (const raw of strange) {
      expect((await ofrep.one('HALF', {}, { token, raw })).text).toBe(expected)
      expect(await ofrep.all({}, { token, raw })).toMatchObject({ status: 200 })
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', ''])
      expect((await ofrep.one('HALF', user, { token, headers: { 'content-type': type } })).text).toBe(expected)
    const tooLarge = `{"context":{"x":"${'x'.repeat(1_048_576)}"}}`
    expect(await ofrep.one('HALF', {}, { token, raw: tooLarge })).toMatchObject({
      status: 413,
      body: { errorCode: 'GENERAL' },
    })
  })

  test('of a browser is allowed its headers, and another method is not allowed', async () => {
    const url = `${testEnv.app.url}/ofrep/v1/evaluate/flags`
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://shop.example' } })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain(
      'last-event-id, traceparent, tracestate, x-api-key',
    )
    const get = await fetch(url)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect(await get.json()).toMatchObject({ errorCode: 'GENERAL' })
  })

  test('is billed once for a request key', async () => {
    const { ofrep, token, tenant } = await scene()
    const headers = { 'x-service-request-key': 'once' }
    await ofrep.all({}, { token, headers })
    await ofrep.one('TEXT', {}, { token, headers })
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(1)
  })
})

test('a rate limit is that of evaluations, with the seconds to wait', async () => {
  const limited = await startTestEnv({ RATE_LIMIT_EVALUATIONS: '2' })
  limited.clock.freezeAt(limited.clock.now())
  const tenant = await newTenant(limited)
  await write(limited, tenant, [secret('TEXT', 'x')])
  const ofrep = new OfrepClient(limited.app.url)
  const extras = { token: tenant.token, below: pathOf(tenant.at) }
  expect(await ofrep.one('TEXT', {}, extras)).toMatchObject({ status: 200 })
  expect(await ofrep.all({}, extras)).toMatchObject({ status: 200 })
  const { status, body, headers } = await ofrep.all({}, extras)
  expect([status, body.errorCode]).toEqual([429, 'GENERAL'])
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
})
