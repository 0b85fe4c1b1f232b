/** Rate limits of the identity provider, and the cost of its pages for others. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Directory } from '../../src/identity/directory.ts'
import { startTestApp } from '../../testkit/app.ts'
import { TestClock } from '../../testkit/clock.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { invite, Person } from '../../testkit/person.ts'
import { queryIdentity } from '../../testkit/store.ts'

const clock = new TestClock()
const app = useEmbeddedApp({ RATE_LIMIT_IP: '300' }, { clock })

afterEach(() => {
  clock.run()
  vi.restoreAllMocks()
})

async function statuses(count: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const received: number[] = []
  for (let sent = 0; sent < count; sent++) received.push((await ask()).status)
  return received
}

function times(count: number, status: number): number[] {
  return Array.from({ length: count }, () => status)
}

describe('rate limits', () => {
  test('apply per address before anything is read, with the same answer as at the API', async () => {
    clock.freezeAt(clock.now())
    const eve = new Person(app.url)
    expect(await statuses(100, () => eve.get('/jwks'))).toEqual(times(100, 200))
    const { status, body, headers } = await eve.post('/update-user', { name: 'x'.repeat(70_000) })
    expect([status, body.error.code, body.error.message]).toEqual([
      429,
      'RATE_LIMITED',
      'Too many requests; try again in 1 second.',
    ])
    const names = ['retry-after', 'ratelimit-policy', 'ratelimit']
    expect(names.map((name) => headers.get(name))).toEqual(['1', '"identity";q=100;w=10', '"identity";r=0;t=1'])
    expect((await eve.get('/no-such-path')).status).toBe(429)
    expect((await new Person(app.url).get('/jwks')).status).toBe(200)
    clock.advance(100)
    expect(await statuses(2, () => eve.get('/jwks'))).toEqual([200, 429])
  })

  test('are stricter for passwords, links and passkeys, independent of the setting', async () => {
    const open = await startTestApp({ RATE_LIMIT_IP: '0', SIGN_UP: 'open' }, { clock })
    clock.freezeAt(clock.now())
    const eve = new Person(open.url)
    const wrong = { email: eve.email, password: 'wrong password' }
    expect((await eve.post('/sign-up/email', { ...wrong, password: 'x' })).status).toBe(400)
    expect(await statuses(2, () => eve.post('/sign-in/email', wrong))).toEqual([401, 401])
    expect((await eve.post('/change-password', {})).status).toBe(429)
    expect(await statuses(21, () => eve.post('/links/invitation', { id: 'x' }))).toEqual([...times(20, 410), 429])
    expect((await eve.post('/links/forgotten', { email: 'no-one@example.com' })).status).toBe(429)
    expect((await eve.post('/reset-password', { token: 'x', newPassword: 'x' })).status).toBe(429)
    const challenges = await statuses(101, () => eve.get('/passkey/generate-authenticate-options'))
    expect(challenges).toEqual([...times(100, 200), 429])
    expect(await statuses(200, () => eve.get('/jwks'))).toEqual(times(200, 200))
  })

  test('are counted in memory, not in a table of the library', async () => {
    await expect(queryIdentity(app.dataDir, 'select * from "rateLimit"')).rejects.toThrow('rateLimit')
  })

  test('appear in the metrics, as do the requests', async () => {
    clock.freezeAt(clock.now())
    const eve = new Person(app.url)
    expect((await statuses(101, () => eve.get('/jwks'))).at(-1)).toBe(429)
    const text = await (await fetch(`${app.url}/metrics`)).text()
    expect(text).toMatch(/^rollkey_rate_limited_total\{limit="identity"\} [1-9]/m)
    expect(text).toMatch(/^rollkey_requests_total\{endpoint="identity",status="200"\} [1-9]/m)
    expect(text).toMatch(/^rollkey_requests_total\{endpoint="identity",status="429"\} [1-9]/m)
    expect(text).toMatch(/^rollkey_request_duration_seconds_count\{endpoint="identity"\} [1-9]/m)
  })
})

test('only a change of a membership removes it from memory', async () => {
  const grace = await invite(app.owner)
  const jwt = await grace.token()
  const list = (): Promise<unknown> =>
    app.client.must('list', { orgSlug: 'acme', projectSlug: 'p', stageSlug: 's' }, { token: jwt })
  // The nodes take turns.
  for (let call = 0; call < 4; call++) await list()
  const read = vi.spyOn(Directory.prototype, 'membership')
  const eve = new Person(app.url)
  await eve.post('/sign-in/email', { email: grace.email, password: 'wrong password' })
  await eve.post('/organization/remove-member', { memberIdOrEmail: grace.email })
  await app.owner.must('/update-user', { name: 'Ada L.' })
  const other = await invite(app.owner)
  await app.owner.must('/organization/remove-member', { memberIdOrEmail: other.email })
  read.mockClear()
  for (let call = 0; call < 4; call++) await list()
  expect(read).not.toHaveBeenCalled()
})
