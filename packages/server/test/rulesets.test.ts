/** Tests of decisions inside programs: what the service sends for them, and how it counts what they report. */
import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { roll, secret } from '../testkit/entries.ts'
import { newOwner, newServiceToken, newTenant, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

const hour = 3_600_000
const day = 24 * hour
const testEnv = useTestEnv()

function show({ at, token }: TestTenant, more: object = {}, headers: Record<string, string> = {}) {
  return testEnv.client.call('ruleset', { ...at, ...more }, { token, headers })
}

function report({ at, token }: TestTenant, decisions: readonly object[], key?: string) {
  const headers = key === undefined ? {} : { 'x-service-request-key': key }
  return testEnv.client.call('report', { ...at, decisions }, { token, headers })
}

async function billed({ at: { orgSlug }, token }: TestTenant): Promise<number> {
  return (await testEnv.client.must('usage', { orgSlug, months: 1 }, { token })).months[0].evaluations
}

async function hoursOf({ at, token }: TestTenant): Promise<object[]> {
  await testEnv.restart()
  return (await testEnv.client.must('rollCounts', { ...at, name: 'R' }, { token })).hours as object[]
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

describe('a ruleset', () => {
  const rules = [{ when: { plan: { in: ['pro'] } }, then: 'a' }]
  const labels = { a: 'on', b: 'off' }
  const entries = [
    { ...roll('R', 0.5, 'x', 'y'), labels, rules, pins: { a: ['user-1'], b: ['user-2', 'café'] }, description: 'd' },
    secret('KEY', 'canary'),
    { ...secret('PLAIN', '5', 'int64'), exposure: 'plain' },
    { ...secret('PUBLIC', 'all'), exposure: 'client' },
    roll('SECRET_ROLL', 0),
  ]

  test('has each roll and what is not secret, with pins only as hashes', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, entries)
    const { status, body, text } = await show(tenant)
    expect(status).toBe(200)
    expect(text).not.toMatch(/canary|user-1|café/)
    const { salt } = body
    const hashed = (seed: string) => hash('sha256', `${salt}${seed}`, 'hex').slice(0, 32)
    expect(body).toMatchObject({ revision: 1, salt: expect.stringMatching(/^[\w-]{22}$/) })
    expect(body.variables).toEqual([
      { name: 'PLAIN', kind: 'secret', value: '5', declaredType: 'int64', exposure: 'plain' },
      { name: 'PUBLIC', kind: 'secret', value: 'all', exposure: 'client' },
      {
        name: 'R',
        kind: 'ab_roll',
        valueA: 'x',
        valueB: 'y',
        chance: 0.5,
        labels,
        rules,
        pins: { a: [hashed('user-1')], b: ['café', 'user-2'].map(hashed).toSorted() },
      },
      { name: 'SECRET_ROLL', kind: 'ab_roll', valueA: 'A', valueB: 'B', chance: 0 },
    ])
  })

  test('of named variables has these alone, secrets among them', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, entries)
    const { body } = await show(tenant, { names: ['KEY', 'NONE', 'R'] })
    expect(body.variables.map(({ name }: { name: string }) => name)).toEqual(['KEY', 'R'])
    expect(body.variables[0]).toEqual({ name: 'KEY', kind: 'secret', value: 'canary' })
  })

  test('is sent again only after a change, and only then billed', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, entries)
    const first = await show(tenant)
    const etag = first.headers.get('etag') ?? ''
    const again = await show(tenant, {}, { 'if-none-match': etag })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect(again.headers.get('etag')).toBe(etag)
    // The tag of one part says nothing about another one.
    expect(await show(tenant, { names: ['R'] }, { 'if-none-match': etag })).toMatchObject({ status: 200 })
    expect(await billed(tenant)).toBe(2)
    await write(testEnv, tenant, [secret('KEY', 'other')])
    const { status, body } = await show(tenant, {}, { 'if-none-match': etag })
    expect([status, body.revision]).toEqual([200, 2])
    expect(body.salt).not.toBe(first.body.salt)
    expect(await billed(tenant)).toBe(3)
  })

  test('is empty, at revision 0, for a stage that does not exist', async () => {
    const tenant = await newTenant(testEnv)
    expect((await show(tenant)).body).toMatchObject({ revision: 0, variables: [] })
  })

  test('is the same for requests that arrive together', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, entries)
    const answers = await Promise.all(Array.from({ length: 8 }, () => show(tenant)))
    // Each node has a salt for itself, with which an answer is complete.
    const texts = answers.map(({ body: { salt, variables } }) => [
      salt,
      JSON.stringify(variables, (key: string, value: unknown) => (key === 'pins' ? undefined : value)),
    ])
    expect(new Set(texts.map(([, text]) => text)).size).toBe(1)
    const pins = answers.map(({ body }) => `${body.salt} ${JSON.stringify(body.variables[2].pins)}`)
    expect(new Set(pins).size).toBe(new Set(texts.map(([salt]) => salt)).size)
  })
})

describe('a report', () => {
  test('counts by side and step, apart from what the service served, without being billed', async () => {
    const nowMs = Math.floor(testEnv.clock.now() / day) * day + 12.5 * hour
    testEnv.clock.freezeAt(nowMs)
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [roll('R', 1), { ...secret('PLAIN', 'p'), exposure: 'plain' }, secret('UNUSED', 'u')])
    await testEnv.client.must('evaluate', { ...tenant.at, name: 'R' }, { token: tenant.token })
    const before = await billed(tenant)
    const { body } = await report(tenant, [
      { name: 'R', decision: 'a', step: 'chance', chance: 1, count: 70 },
      { name: 'R', decision: 'b', step: 'pin', count: 3 },
      { name: 'R', decision: 'a', step: 'rule', rule: 2, count: 5 },
      { name: 'R', decision: 'a', step: 'chance', count: 10, day: dayOf(nowMs - day) },
      { name: 'PLAIN', count: 9 },
      { name: 'NONE', count: 9 },
      { name: 'R', count: 9 },
      { name: 'PLAIN', decision: 'a', step: 'chance', count: 9 },
    ])
    expect(body).toMatchObject({ counted: 5, ignored: 3 })
    expect(await billed(tenant)).toBe(before)
    const thisHour = nowMs - 0.5 * hour
    const endOfYesterday = thisHour - 13 * hour
    expect(await hoursOf(tenant)).toEqual([
      { fromMs: endOfYesterday, a: 10, b: 0, reported: { a: 10, b: 0 } },
      {
        fromMs: thisHour,
        a: 76,
        b: 3,
        pins: { a: 0, b: 3 },
        rules: { a: 5, b: 0 },
        chance: 1,
        reported: { a: 75, b: 3 },
      },
    ])
    const { variables } = await testEnv.client.must('list', tenant.at, { token: tenant.token })
    const days = Object.fromEntries(
      variables.map(({ name, lastEvaluatedDay }: Record<string, string>) => [name, lastEvaluatedDay]),
    )
    expect(days).toEqual({ R: dayOf(nowMs), PLAIN: dayOf(nowMs), UNUSED: undefined })
    const { orgSlug, projectSlug, stageSlug } = tenant.at
    const usage = await testEnv.client.must('usage', { orgSlug, days: 2 }, { token: tenant.token })
    expect(usage.days).toEqual([
      { day: dayOf(nowMs - day), projectSlug, stageSlug, evaluations: 0, reported: 10 },
      { day: dayOf(nowMs), projectSlug, stageSlug, evaluations: before, reported: 87 },
    ])
    testEnv.clock.run()
  })

  test('with the same key counts once, also when 32 arrive at once', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [roll('R', 1)])
    const decisions = [{ name: 'R', decision: 'a', step: 'chance', count: 2 }]
    const answers = await Promise.all(Array.from({ length: 32 }, (_, at) => report(tenant, decisions, `key-${at % 2}`)))
    expect(answers.map(({ body }) => body.counted)).toEqual(answers.map(() => 1))
    expect(await hoursOf(tenant)).toMatchObject([{ a: 4, b: 0 }])
    // A billing event and a report may have the same key.
    const headers = { 'x-service-request-key': 'key-0' }
    const before = await billed(tenant)
    await testEnv.client.must('evaluate', { ...tenant.at, name: 'R' }, { token: tenant.token, headers })
    expect(await billed(tenant)).toBe(before + 1)
  })

  test('by an earlier chance counts in the hour of the change, which the fit leaves out', async () => {
    const nowMs = Math.floor(testEnv.clock.now() / hour) * hour + hour - 1_000
    testEnv.clock.freezeAt(nowMs)
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [roll('R', 0.5)])
    await testEnv.client.must(
      'update',
      { ...tenant.at, updates: [{ name: 'R', chance: 0.1 }] },
      { token: tenant.token },
    )
    testEnv.clock.advance(2_000)
    await report(tenant, [
      { name: 'R', decision: 'a', step: 'chance', chance: 0.5, count: 50 },
      { name: 'R', decision: 'a', step: 'chance', chance: 0.1, count: 1 },
    ])
    const fromMs = nowMs + 1_000 - hour
    expect(await hoursOf(tenant)).toMatchObject([
      { fromMs, a: 50 },
      { fromMs: fromMs + hour, a: 1, chance: 0.1 },
    ])
    testEnv.clock.run()
  })

  test('of a day that is neither today nor yesterday is refused', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [roll('R', 1)])
    const nowMs = testEnv.clock.now()
    for (const days of [-2, 1]) {
      const decisions = [{ name: 'R', decision: 'a', step: 'chance', count: 1, day: dayOf(nowMs + days * day) }]
      const { status, body } = await report(tenant, decisions)
      expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST'])
      expect(body.error.message).toContain('decisions[0].day')
    }
    expect((await report(tenant, [{ name: 'R', decision: 'a', count: 1 }])).body.error.code).toBe('INVALID_REQUEST')
    expect(await hoursOf(tenant)).toEqual([])
  })

  test('takes a thousand rows, of a read-only token too', async () => {
    const tenant = await newOwner(testEnv)
    await write(
      testEnv,
      tenant,
      Array.from({ length: 500 }, (_, at) => roll(`R${at}`, 1)),
    )
    const { token } = await newServiceToken(testEnv, tenant, { readOnly: true })
    const decisions = Array.from({ length: 1_000 }, (_, at) => ({
      name: `R${at % 500}`,
      decision: at < 500 ? 'a' : 'b',
      step: 'chance',
      count: 1,
    }))
    expect((await report({ ...tenant, token }, decisions)).body).toMatchObject({ counted: 1_000, ignored: 0 })
    const counts = await testEnv.client.must('rollCounts', { ...tenant.at, name: 'R499' }, { token: tenant.token })
    expect(counts.hours).toMatchObject([{ a: 1, b: 1 }])
  })
})
