/** Tests the event stream of OFREP and the tickets that open it. */
import { expect, onTestFinished, test } from 'vitest'
import { roll, secret } from '../../testkit/entries.ts'
import { EventReader, useFrequentPolls } from '../../testkit/events.ts'
import { OfrepClient, pathOf } from '../../testkit/ofrep.ts'
import { newOwner, newServiceToken, newTenant, useTestEnv, write } from '../../testkit/test-env.ts'

useFrequentPolls()
const testEnv = useTestEnv()
const minute = 60_000
const user = { targetingKey: 'user-1' }

interface Offered {
  readonly type: string
  readonly endpoint: { readonly requestUri: string }
}

async function scene() {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [roll('HALF', 0.5), secret('OTHER', 'canary-value')])
  const { projectSlug, stageSlug } = tenant.at
  const { token, id } = await newServiceToken(testEnv, tenant, { projectSlug, stageSlug, role: 'reader' })
  const ofrep = new OfrepClient(testEnv.app.url)
  const streamOf = async (of: string = token, below = ''): Promise<string> => {
    const { body } = await ofrep.all(user, { token: of, below })
    const [stream] = body.eventStreams as Offered[]
    return stream?.endpoint.requestUri ?? ''
  }
  return { tenant, token: token as string, tokenId: id as string, ofrep, streamOf, below: pathOf(tenant.at) }
}

async function read(
  requestUri: string,
  headers: Record<string, string> = {},
  url = testEnv.app.url,
): Promise<EventReader> {
  const reader = await EventReader.at(`${url}${requestUri}`, headers)
  onTestFinished(() => reader.close())
  return reader
}

const refetch = { event: 'message', data: { type: 'refetchEvaluation' } }

test('a stream asks to evaluate again at its start and after each change, and shows nothing else', async () => {
  const { tenant, streamOf } = await scene()
  const reader = await read(await streamOf())
  expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await reader.next()).toEqual({ ...refetch, id: 'prod:1' })
  await write(testEnv, tenant, [secret('OTHER', 'canary-2')])
  expect(await reader.next()).toEqual({ ...refetch, id: 'prod:2' })
  await write(testEnv, { ...tenant, at: { ...tenant.at, stageSlug: 'dev' } }, [secret('OTHER', 'canary-3')])
  await write(testEnv, tenant, [secret('OTHER', 'canary-4')])
  expect(await reader.next()).toEqual({ ...refetch, id: 'prod:3' })
  expect(reader.text).not.toMatch(/OTHER|canary/)
})

test('after a reconnect it sends what was missed', async () => {
  const { tenant, streamOf } = await scene()
  const uri = await streamOf()
  await write(testEnv, tenant, [secret('OTHER', '2')])
  await write(testEnv, tenant, [secret('OTHER', '3')])
  const reader = await read(uri, { 'last-event-id': 'prod:1' })
  expect([await reader.next(), await reader.next()]).toMatchObject([{ id: 'prod:2' }, { id: 'prod:3' }])
  const current = await read(uri, { 'last-event-id': 'prod:3' })
  // Only an id, because nothing was missed.
  expect(await current.next()).toEqual({ event: undefined, id: 'prod:3', data: undefined })
})

test('a ticket opens only the stream of its stage, on every node, and contains no part of its token', async () => {
  const { tenant, token, streamOf } = await scene()
  const uri = await streamOf()
  const ticket = new URL(uri, 'http://x').searchParams.get('ticket') ?? ''
  expect(ticket.length).toBeGreaterThan(60)
  for (let at = 7; at + 8 <= token.length; at++) expect(ticket).not.toContain(token.slice(at, at + 8))
  for (const url of testEnv.app.urls) expect((await read(uri, {}, url)).response.status).toBe(200)
  await write(testEnv, { ...tenant, at: { ...tenant.at, stageSlug: 'dev' } }, [secret('A', '1')])
  const [first = '', ...rest] = ticket
  const others = [
    uri.replace('/stages/prod/', '/stages/dev/'),
    uri.replace(ticket, ticket.slice(0, -2)),
    uri.replace(ticket, [first === 'x' ? 'y' : 'x', ...rest].join('')),
    uri.replace(ticket, `${ticket}x`),
    uri.replace(/\?.*/, ''),
    uri.replace('ticket=', 'token='),
    uri.replace(/^.*\?/, '/ofrep/v1/events?'),
    `${uri.replace(/\?.*/, '')}?ticket=${token}`,
  ]
  for (const other of others) expect((await read(other)).response.status, other).toBe(401)
  const { ofrep, below } = { ofrep: new OfrepClient(testEnv.app.url), below: pathOf(tenant.at) }
  expect(await ofrep.all(user, { token: ticket, below })).toMatchObject({ status: 401 })
  expect(await testEnv.client.call('list', tenant.at, { token: ticket })).toMatchObject({ status: 401 })
  expect(testEnv.app.log.join('\n')).not.toContain(ticket)
})

test('a ticket is valid for 15 to 30 minutes, and then the tag of the flags has changed', async () => {
  const { ofrep, token, streamOf } = await scene()
  testEnv.clock.freezeAt(Math.ceil(testEnv.clock.now() / (15 * minute)) * 15 * minute)
  onTestFinished(() => testEnv.clock.run())
  const uri = await streamOf()
  const etag = (await ofrep.all(user, { token })).headers.get('etag') ?? ''
  const isUnchanged = async () => (await ofrep.all(user, { token, headers: { 'if-none-match': etag } })).status === 304
  testEnv.clock.advance(15 * minute - 1)
  expect([await streamOf(), await isUnchanged()]).toEqual([uri, true])
  testEnv.clock.advance(1)
  expect([(await streamOf()) === uri, await isUnchanged()]).toEqual([false, false])
  testEnv.clock.advance(15 * minute - 1)
  expect((await read(uri)).response.status).toBe(200)
  testEnv.clock.advance(1)
  const expired = await read(uri)
  expect(expired.response.status).toBe(401)
  expect(await expired.response.json()).toMatchObject({ error: { message: expect.stringContaining('has expired') } })
})

test('a stream ends with its token, and its ticket too', async () => {
  const { tenant, tokenId, streamOf } = await scene()
  const uri = await streamOf()
  const reader = await read(uri)
  expect(await reader.next()).toMatchObject(refetch)
  await testEnv.client.must('tokenRevoke', { orgSlug: tenant.at.orgSlug, id: tokenId }, { token: tenant.token })
  testEnv.clock.advance(10_000)
  expect(await reader.nextNamed()).toMatchObject({ event: 'end', data: { error: { code: 'UNAUTHORIZED' } } })
  expect(await reader.next()).toBeUndefined()
  for (const url of testEnv.app.urls) expect((await read(uri, {}, url)).response.status).toBe(401)
})

test('a session has a ticket too, also after it was refreshed', async () => {
  const { tenant, below, streamOf } = await scene()
  const uri = await streamOf(tenant.token, below)
  const pair = (await testEnv.client.refresh(tenant.refreshToken)).body
  const next = await streamOf(pair.accessToken, below)
  expect(next).not.toBe(uri)
  for (const each of [uri, next]) expect((await read(each)).response.status).toBe(200)
  await testEnv.client.must('logout', { refreshToken: pair.refreshToken }, { token: pair.accessToken })
  for (const each of [uri, next]) expect((await read(each)).response.status).toBe(401)
})

test('a token of the provider, which is valid for a minute, has none, and neither has a stage that does not exist', async () => {
  const { tenant, below, ofrep } = await scene()
  const token = await testEnv.provider.tokenOf(tenant.user)
  expect((await ofrep.all(user, { token, below })).body.eventStreams).toBeUndefined()
  const stranger = await newTenant(testEnv)
  const { body } = await ofrep.all(user, { token: stranger.token, below: pathOf(stranger.at) })
  expect(body.eventStreams).toBeUndefined()
})

test('a ticket of a service token is not for a browser either', async () => {
  const { streamOf } = await scene()
  expect((await read(await streamOf(), { origin: 'https://shop.example' })).response.status).toBe(403)
})
