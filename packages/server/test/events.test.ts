/** Tests live events of new revisions (server-sent events). */
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTestApp } from '../testkit/app.ts'
import { secret } from '../testkit/entries.ts'
import { EventReader, useFrequentPolls } from '../testkit/events.ts'
import { isLong } from '../testkit/long.ts'
import { stopMachineClock } from '../testkit/stopped-clock.ts'
import { onPostgres, query } from '../testkit/store.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  startTestEnv,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../testkit/test-env.ts'

useFrequentPolls()

/** Lower than the default, so that few streams reach the limit. */
const testEnv = useTestEnv({ MAX_STREAMS_PER_CREDENTIAL: '10' })

interface Opening {
  readonly since?: string
  readonly headers?: Record<string, string>
  readonly token?: string
}

async function open(
  { at, token }: TestTenant,
  { since, headers, token: other = token }: Opening = {},
): Promise<EventReader> {
  const { orgSlug, projectSlug } = at
  const stream = { orgSlug, projectSlug, ...(since !== undefined && { since }) }
  const reader = await EventReader.open(testEnv.app.url, stream, other, headers)
  onTestFinished(() => reader.close())
  return reader
}

/** Returns the first id of a stream that began. */
async function startOf(reader: EventReader): Promise<string | undefined> {
  expect(reader.response.status).toBe(200)
  return (await reader.next())?.id
}

/** Returns the next `count` events as short texts. */
async function nextOf(reader: EventReader, count: number): Promise<string[]> {
  const texts: string[] = []
  while (texts.length < count) {
    const { event, data } = (await reader.nextNamed()) ?? { event: 'over' }
    texts.push(`${event} ${data?.stageSlug} ${data?.revision} ${data?.names?.join()}`)
    if (event === 'over') break
  }
  return texts
}

describe('a stream of events', () => {
  test('sends each revision, on whichever node it was made, with names only', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('OLD', 'canary-1')])
    const reader = await open(tenant)
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(reader.response.headers.get('x-request-id')).toBeTruthy()
    expect(reader.response.headers.get('cache-control')).toBe('no-store')
    expect(await startOf(reader)).toBe('prod:1')
    for (let revision = 2; revision < 4; revision++) {
      await write(testEnv, tenant, [secret('Z', 'canary-2'), secret('A', 'canary-3')])
      expect(await reader.nextNamed()).toEqual({
        event: 'revision',
        id: `prod:${revision}`,
        data: { stageSlug: 'prod', revision, names: ['A', 'Z'] },
      })
    }
    await write(testEnv, tenant, [], { deletes: ['OLD'] })
    expect(await nextOf(reader, 1)).toEqual(['revision prod 4 OLD'])
    expect(reader.text).not.toContain('canary')
  })

  test('covers the stages of its project, including new ones, and no other project', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    await write(testEnv, tenantAt(tenant, { stageSlug: 'dev' }), [secret('A', '1')])
    const reader = await open(tenant)
    expect(await startOf(reader)).toBe('dev:1,prod:1')
    const elsewhere = tenantAt(tenant, { projectSlug: 'other' })
    await write(testEnv, elsewhere, [secret('A', '1')])
    await write(testEnv, await newTenant(testEnv), [secret('A', '1')])
    await testEnv.client.must('stageCreate', { ...tenant.at, stageSlug: 'empty' }, { token: tenant.token })
    await write(testEnv, tenantAt(tenant, { stageSlug: 'new' }), [secret('B', '1')])
    await write(testEnv, tenantAt(tenant, { stageSlug: 'dev' }), [secret('C', '1')])
    const events = await nextOf(reader, 3)
    expect(events.toSorted()).toEqual(['revision dev 2 C', 'revision empty 1 ', 'revision new 1 B'])
  })

  test('continues from a cursor in the URL or the last event id, and misses nothing', async () => {
    const tenant = await newTenant(testEnv)
    for (const name of ['A', 'B', 'C']) await write(testEnv, tenant, [secret(name, '1')])
    await write(testEnv, tenantAt(tenant, { stageSlug: 'dev' }), [secret('D', '1')])
    const expected = ['revision dev 1 D', 'revision prod 2 B', 'revision prod 3 C']
    expect(await nextOf(await open(tenant, { since: 'prod:1' }), 3)).toEqual(expected)
    expect(await nextOf(await open(tenant, { since: 'dev:1,prod:2,new:0' }), 1)).toEqual([expected[2]])
    expect(await nextOf(await open(tenant, { since: '' }), 4)).toEqual([
      expected[0],
      'revision prod 1 A',
      ...expected.slice(1),
    ])
    const headers = { 'last-event-id': 'prod:2,dev:1' }
    const reader = await open(tenant, { since: 'prod:1', headers })
    expect(await reader.next()).toMatchObject({ id: 'dev:1,prod:3', data: { names: ['C'] } })
    expect((await reader.next())?.id).toBe('dev:1,prod:3')
  })

  test.runIf(isLong)('reconnects repeatedly while others write, and sends each revision once', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '0')])
    let since = await startOf(await open(tenant))
    const writes = async (): Promise<void> => {
      for (let count = 0; count < 40; count++) await write(testEnv, tenant, [secret('A', String(count))])
    }
    const expected: number[] = []
    const readOn = async (): Promise<void> => {
      while (expected.at(-1) !== 41) {
        const reader = await open(tenant, { since: since ?? '' })
        const event = await reader.next()
        reader.close()
        if (event?.event === undefined) continue
        expected.push(event.data.revision)
        since = event.id
      }
    }
    await Promise.all([writes(), readOn()])
    expect(expected).toEqual(Array.from({ length: 40 }, (_, index) => index + 2))
  })

  test('sends a reset if it cannot send each revision', async () => {
    const tenant = await newTenant(testEnv)
    for (let count = 0; count < 4; count++) await write(testEnv, tenant, [secret('A', String(count))])
    expect(await nextOf(await open(tenant, { since: 'prod:9' }), 1)).toEqual(['reset prod 4 undefined'])
    expect(await nextOf(await open(tenant, { since: 'gone:1,prod:4' }), 1)).toEqual([
      'reset undefined undefined undefined',
    ])
    const floor = 'insert into history_floors (stage_id, revision) select stage_id, 3 from variables where name = $1'
    await write(testEnv, tenant, [secret('OF_THIS_TEST', '1')])
    await query(testEnv.app.dataDir, floor, 'OF_THIS_TEST')
    expect(await nextOf(await open(tenant, { since: 'prod:2' }), 1)).toEqual(['reset prod 5 undefined'])
    expect(await nextOf(await open(tenant, { since: '' }), 1)).toEqual(['reset prod 5 undefined'])
    const known = await open(tenant, { since: 'prod:3' })
    expect(await nextOf(known, 2)).toEqual(['revision prod 4 A', 'revision prod 5 OF_THIS_TEST'])
  })

  test('sends a write of 2,000 names whole, and a reset for more at once', async () => {
    const tenant = await newTenant(testEnv)
    const names = (letter: string) => Array.from({ length: 1_000 }, (_, index) => `${letter}${index}`)
    await write(
      testEnv,
      tenant,
      names('A').map((name) => secret(name, '1')),
    )
    await write(
      testEnv,
      tenant,
      names('B').map((name) => secret(name, '1')),
      { deletes: names('A') },
    )
    const event = await (await open(tenant, { since: 'prod:1' })).next()
    expect(event?.data.names).toHaveLength(2_000)
    expect(await nextOf(await open(tenant, { since: '' }), 1)).toEqual(['reset prod 2 undefined'])
  })

  test('sends a service token only what is in its scope', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    await write(testEnv, tenantAt(tenant, { stageSlug: 'dev' }), [secret('A', '1')])
    const { token } = await newServiceToken(testEnv, tenant, { projectSlug: 'shop', stageSlug: 'dev', readOnly: true })
    const reader = await open(tenant, { token: token as string })
    expect(await startOf(reader)).toBe('dev:1')
    await write(testEnv, tenant, [secret('B', '1')])
    await write(testEnv, tenantAt(tenant, { stageSlug: 'dev' }), [secret('C', '1')])
    expect(await nextOf(reader, 1)).toEqual(['revision dev 2 C'])
    const elsewhere = tenantAt(tenant, { projectSlug: 'other' })
    expect((await open(elsewhere, { token: token as string })).response.status).toBe(403)
  })

  test('is refused like any request, before it begins', async () => {
    const tenant = await newTenant(testEnv)
    const refusal = async (opening: Opening = {}, by = tenant): Promise<string> => {
      const { response } = await open(by, opening)
      const { error } = (await response.json()) as { error: { code: string; requestId: string } }
      expect(error.requestId).toBe(response.headers.get('x-request-id'))
      return `${response.status} ${error.code}`
    }
    expect(await refusal()).toBe('404 NOT_FOUND')
    await write(testEnv, tenant, [secret('A', '1')])
    expect(await refusal({ token: 'svc_at_wrong' })).toBe('401 UNAUTHORIZED')
    expect(await refusal({}, tenantAt(tenant, { orgSlug: 'other' }))).toBe('403 INVALID_ORG_SCOPE')
    for (const since of [
      'prod',
      'prod:',
      ':1',
      'prod:1,',
      'prod:-1',
      'prod:1.5',
      'pr/od:1',
      'prod:1 ',
      'x'.repeat(9_000),
    ]) {
      expect(await refusal({ since })).toBe('400 INVALID_REQUEST')
    }
    expect(await refusal({ headers: { 'last-event-id': 'wrong' } })).toBe('400 INVALID_REQUEST')
    const options = { headers: { authorization: `Bearer ${tenant.token}` } }
    const address = `${testEnv.app.url}/v1/events?orgSlug=${tenant.at.orgSlug}&projectSlug=shop`
    const head = await fetch(address, { ...options, method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await fetch(address, { ...options, method: 'POST' })).status).toBe(405)
  })
})

describe('a stream stays open', () => {
  async function begun(tenant: TestTenant): Promise<EventReader> {
    await write(testEnv, tenant, [secret('A', '1')])
    const reader = await open(tenant)
    expect(await startOf(reader)).toBe('prod:1')
    return reader
  }

  test('with a heartbeat every 15 seconds, while the caller has access', async () => {
    const reader = await begun(await newTenant(testEnv))
    testEnv.clock.advance(15_000)
    expect(await reader.next()).toEqual({ event: undefined, id: undefined, data: undefined })
    expect(reader.text.endsWith('\n:\n\n')).toBe(true)
  })

  test('until the session is revoked', async () => {
    const tenant = await newTenant(testEnv)
    const reader = await begun(tenant)
    await testEnv.client.must('logout', { refreshToken: tenant.refreshToken }, { token: tenant.token })
    testEnv.clock.advance(10_000)
    const last = await reader.nextNamed()
    expect([last?.event, last?.data.error.code]).toEqual(['end', 'UNAUTHORIZED'])
    expect(last?.data.error.requestId).toBe(reader.response.headers.get('x-request-id'))
    expect(await reader.next()).toBeUndefined()
  })

  test('until the member is removed, and for the usual grace period if the provider is unavailable', async () => {
    const tenant = await newTenant(testEnv)
    const reader = await begun(tenant)
    testEnv.provider.isDown = true
    testEnv.clock.advance(70_000)
    expect((await reader.next())?.event).toBeUndefined()
    testEnv.provider.isDown = false
    testEnv.provider.remove(tenant.user)
    testEnv.clock.advance(60_000)
    expect((await reader.nextNamed())?.data.error.code).toBe('ORG_SCOPE_INVALID')
  })

  test('until its token expires', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    const reader = await open(tenant, { token: await testEnv.provider.tokenOf(tenant.user) })
    expect(await startOf(reader)).toBe('prod:1')
    testEnv.clock.advance(620_000)
    expect((await reader.nextNamed())?.data.error.code).toBe('UNAUTHORIZED')
  })

  const statusesOf = (readers: readonly EventReader[]): number[] =>
    readers.map(({ response }) => response.status).toSorted((a, b) => a - b)
  const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status)

  test('next to 9 others of its credential and IP, and the next one has to wait', async () => {
    const tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    const openMany = (count: number, opening: Opening = {}) =>
      Promise.all(Array.from({ length: count }, () => open(tenant, opening)))
    const readers = await openMany(11)
    expect(statusesOf(readers)).toEqual([...times(10, 200), 429])
    const refused = readers.find(({ response }) => response.status === 429)
    expect(refused?.response.headers.get('retry-after')).toBe('10')
    readers.find(({ response }) => response.status === 200)?.close()
    await expect.poll(async () => (await open(tenant)).response.status).toBe(200)
    // Another credential has a separate limit, and so has another IP.
    const { token } = await newServiceToken(testEnv, tenant)
    const from = (address: string) => ({ token, headers: { 'x-forwarded-for': address } })
    expect(statusesOf(await openMany(11, from('192.0.2.1')))).toEqual([...times(10, 200), 429])
    expect(statusesOf(await openMany(11, from('192.0.2.2')))).toEqual([...times(10, 200), 429])
  })

  test('next to 9 others of the same user, who has many provider tokens', async () => {
    const tenant = await newTenant(testEnv)
    await write(testEnv, tenant, [secret('A', '1')])
    const { provider } = testEnv
    // Tokens of one second differ only in their ids.
    const tokens = await Promise.all(
      Array.from({ length: 11 }, (_, jti) => provider.sign({ ...provider.claimsOf(tenant.user), jti: String(jti) })),
    )
    expect(new Set(tokens).size).toBe(11)
    const readers = await Promise.all(tokens.map((token) => open(tenant, { token })))
    expect(statusesOf(readers)).toEqual([...times(10, 200), 429])
  })

  test('next to fewer others if the operator sets a lower limit', async () => {
    const strict = await startTestEnv({ MAX_STREAMS_PER_CREDENTIAL: '2' })
    const tenant = await newOwner(strict)
    await write(strict, tenant, [secret('A', '1')])
    const { orgSlug, projectSlug } = tenant.at
    const readers = await Promise.all(
      Array.from({ length: 3 }, () => EventReader.open(strict.app.url, { orgSlug, projectSlug }, tenant.token)),
    )
    expect(statusesOf(readers)).toEqual([200, 200, 429])
    for (const reader of readers) reader.close()
  })
})

test.skipIf(onPostgres)('the stop of the service ends streams cleanly, without waiting for them', async () => {
  const app = await startTestApp({}, { provider: testEnv.provider })
  const tenant = await newTenant(app)
  await write(app, tenant, [secret('A', '1')])
  const reader = await EventReader.open(app.url, { orgSlug: tenant.at.orgSlug, projectSlug: 'shop' }, tenant.token)
  await startOf(reader)
  // The service waits for streams for longer than the second that passes now.
  const pass = stopMachineClock()
  const stopped = app.stop()
  expect(await reader.nextNamed()).toBeUndefined()
  pass(1_000)
  await stopped
})
