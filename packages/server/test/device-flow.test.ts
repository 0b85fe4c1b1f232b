import { describe, expect, test } from 'vitest'
import { PendingLogins } from '../src/sessions/pending-logins.ts'
import { newUser, TestClient, type Answer } from '../testkit/client.ts'
import { startTestEnv, useTestEnv } from '../testkit/test-env.ts'

const lifetimeMs = 600_000
const testEnv = useTestEnv()

async function complete(userCode: string, user = newUser()) {
  return testEnv.client.call('deviceComplete', { userCode }, { token: await testEnv.provider.tokenOf(user) })
}

describe('device code', () => {
  test('goes from pending to approved to exchanged, and its tokens work', async () => {
    testEnv.clock.freezeAt(testEnv.clock.now())
    const user = newUser()
    const { deviceCode, userCode, expiresInSec, intervalSec } = await testEnv.client.must('deviceStart', {})
    expect([expiresInSec, intervalSec]).toEqual([600, 5])
    expect(await testEnv.client.must('devicePoll', { deviceCode })).toMatchObject({ status: 'pending' })
    expect((await complete(userCode, user)).body).toMatchObject({ ok: true })
    const pair = await testEnv.client.must('devicePoll', { deviceCode })
    expect(pair.status).toBe('approved')
    expect(pair.accessToken).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)
    expect(pair.refreshToken).toMatch(/^svc_rt_[A-Za-z0-9_-]{43}$/)
    expect(pair.accessTokenExpiresAtMs - testEnv.clock.now()).toBe(3_600_000)
    expect(pair.refreshTokenExpiresAtMs - testEnv.clock.now()).toBe(30 * 86_400_000)
    const session = await testEnv.client.must('session', {}, { token: pair.accessToken })
    expect(session).toMatchObject({ idpUserId: user.userId, orgSlug: user.orgSlug })
    expect((await testEnv.client.call('devicePoll', { deviceCode })).body.error.code).toBe('DEVICE_CODE_NOT_FOUND')
    testEnv.clock.run()
  })

  test('comes with a link that has the user code in its fragment', async () => {
    const { userCode, verificationUri, verificationUriComplete } = await testEnv.client.must('deviceStart', {})
    expect(verificationUri).toBe(`${testEnv.app.url.replace('127.0.0.1', 'localhost')}/device`)
    expect(verificationUriComplete).toBe(`${verificationUri}#user_code=${userCode}`)
  })

  test.each(['poll', 'complete'] as const)('expires at the exact millisecond for %s', async (by) => {
    const { deviceCode, userCode } = await testEnv.client.must('deviceStart', {})
    testEnv.clock.freezeAt(testEnv.clock.now())
    const started = testEnv.clock.now()
    const fresh = await testEnv.client.must('deviceStart', {})
    testEnv.clock.freezeAt(started + lifetimeMs - 1)
    expect((await testEnv.client.call('devicePoll', { deviceCode: fresh.deviceCode })).body.status).toBe('pending')
    testEnv.clock.freezeAt(started + lifetimeMs)
    const answer =
      by === 'poll'
        ? await testEnv.client.call('devicePoll', { deviceCode: fresh.deviceCode })
        : await complete(fresh.userCode)
    expect([answer.status, answer.body.error.code]).toEqual([410, 'DEVICE_CODE_EXPIRED'])
    expect((await testEnv.client.call('devicePoll', { deviceCode })).status).toBe(410)
    expect((await complete(userCode)).status).toBe(410)
    testEnv.clock.run()
  })

  test('expires after the same 600 seconds if it was approved and never polled', async () => {
    testEnv.clock.freezeAt(testEnv.clock.now())
    const { deviceCode, userCode } = await testEnv.client.approved(newUser())
    testEnv.clock.advance(lifetimeMs)
    expect((await testEnv.client.call('devicePoll', { deviceCode })).status).toBe(410)
    expect((await complete(userCode)).status).toBe(410)
    testEnv.clock.run()
  })

  test('can be redeemed until its end if it was approved one millisecond before', async () => {
    testEnv.clock.freezeAt(testEnv.clock.now())
    const { deviceCode, userCode } = await testEnv.client.must('deviceStart', {})
    testEnv.clock.advance(lifetimeMs - 1)
    expect((await complete(userCode)).status).toBe(200)
    expect((await testEnv.client.must('devicePoll', { deviceCode })).status).toBe('approved')
    testEnv.clock.run()
  })

  test('is never found again after its exchange', async () => {
    const { deviceCode, userCode } = await testEnv.client.approved(newUser())
    await testEnv.client.must('devicePoll', { deviceCode })
    testEnv.clock.advance(lifetimeMs + 1)
    expect((await testEnv.client.call('devicePoll', { deviceCode })).status).toBe(404)
    expect((await complete(userCode)).status).toBe(404)
  })

  test('is approved once, and the session belongs to the first user and organization', async () => {
    const first = newUser('first-org')
    const { deviceCode, userCode } = await testEnv.client.must('deviceStart', {})
    expect((await complete(userCode, first)).status).toBe(200)
    expect((await complete(userCode, newUser('second-org'))).body.error.code).toBe('DEVICE_CODE_NOT_FOUND')
    const { accessToken } = await testEnv.client.must('devicePoll', { deviceCode })
    const session = await testEnv.client.must('session', {}, { token: accessToken })
    expect(session).toMatchObject({ idpUserId: first.userId, orgSlug: 'first-org' })
  })
})

async function ask(name: 'deviceShow' | 'deviceDeny', userCode: string, user = newUser()) {
  return testEnv.client.call(name, { userCode }, { token: await testEnv.provider.tokenOf(user) })
}

describe('the page before a decision', () => {
  test('shows which client asks, since when, and for which organization', async () => {
    const user = newUser()
    testEnv.clock.freezeAt(testEnv.clock.now())
    const { userCode } = await testEnv.client.must('deviceStart', { clientName: 'Zoë’s laptop <b>' })
    const shown = (await ask('deviceShow', userCode, user)).body
    expect(shown).toMatchObject({ clientName: 'Zoë’s laptop <b>', orgSlug: user.orgSlug })
    expect([shown.requestedAtMs, shown.expiresAtMs]).toEqual([testEnv.clock.now(), testEnv.clock.now() + lifetimeMs])
    testEnv.clock.run()
    const nameless = await testEnv.client.must('deviceStart', {})
    expect((await ask('deviceShow', nameless.userCode)).body).not.toHaveProperty('clientName')
    expect((await complete(userCode, user)).status).toBe(200)
  })

  test('does not show a code that is decided, expired or malformed', async () => {
    const { userCode } = await testEnv.client.approved(newUser())
    expect((await ask('deviceShow', userCode)).body.error.code).toBe('DEVICE_CODE_NOT_FOUND')
    expect((await ask('deviceShow', 'ABCD-EFG')).body.error.code).toBe('USER_CODE_INVALID')
    const old = await testEnv.client.must('deviceStart', {})
    testEnv.clock.advance(lifetimeMs)
    expect((await ask('deviceShow', old.userCode)).body.error.code).toBe('DEVICE_CODE_EXPIRED')
  })

  test('requires being signed in to an organization for viewing and denying', async () => {
    const { userCode } = await testEnv.client.must('deviceStart', {})
    const { accessToken } = await testEnv.client.login(newUser())
    for (const name of ['deviceShow', 'deviceDeny'] as const) {
      expect((await testEnv.client.call(name, { userCode })).status).toBe(401)
      expect((await testEnv.client.call(name, { userCode }, { token: accessToken })).status).toBe(401)
    }
  })
})

describe('a denied code', () => {
  test('is final: the client learns of it, and no one can approve it anymore', async () => {
    const { deviceCode, userCode } = await testEnv.client.must('deviceStart', {})
    expect((await ask('deviceDeny', userCode)).body).toMatchObject({ ok: true })
    const polled = await testEnv.client.call('devicePoll', { deviceCode })
    expect([polled.status, polled.body.error.code]).toEqual([410, 'DEVICE_CODE_EXPIRED'])
    expect(polled.body.error.message).toBe('The login was denied in the browser: start it again.')
    expect((await complete(userCode)).body.error.code).toBe('DEVICE_CODE_NOT_FOUND')
    expect((await ask('deviceDeny', userCode)).body.error.code).toBe('DEVICE_CODE_NOT_FOUND')
    testEnv.clock.advance(lifetimeMs)
    expect((await testEnv.client.call('devicePoll', { deviceCode })).status).toBe(410)
  })

  test('excludes an approval: of 64 concurrent approvals and denials, one decides', async () => {
    const { deviceCode, userCode } = await testEnv.client.must('deviceStart', {})
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? complete(userCode) : ask('deviceDeny', userCode))),
    )
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []))
    expect(winners).toHaveLength(1)
    const { status } = await testEnv.client.call('devicePoll', { deviceCode })
    expect(status).toBe((winners[0] ?? 0) % 2 === 0 ? 200 : 410)
  })
})

describe('wrong user codes', () => {
  test('count toward one limit, whichever action they were entered for', async () => {
    const user = newUser()
    for (let i = 0; i < 10; i++) {
      expect((await complete('XXXXXXXX', user)).status).toBe(404)
      expect((await ask('deviceShow', 'XXXXXXXX', user)).status).toBe(404)
      expect((await ask('deviceDeny', 'XXXXXXXX', user)).status).toBe(404)
    }
    const { userCode } = await testEnv.client.must('deviceStart', {})
    for (const name of ['deviceShow', 'deviceDeny'] as const) {
      expect((await ask(name, userCode, user)).body.error.code).toBe('RATE_LIMITED')
    }
    expect((await complete(userCode)).status).toBe(200)
  })

  test("lock the user out after 30 in 10 minutes until the window moves on, and don't affect others", async () => {
    const user = newUser()
    testEnv.clock.freezeAt(testEnv.clock.now())
    for (let i = 0; i < 30; i++) {
      expect((await complete('ZZZZZZZZ', user)).status).toBe(404)
      if (i === 0) testEnv.clock.advance(1_000)
    }
    const { userCode } = await testEnv.client.must('deviceStart', {})
    const locked = await complete(userCode, user)
    expect([locked.status, locked.body.error.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(locked.headers.get('retry-after'))).toBe(599)
    expect((await complete('zzzzzzzz', user)).body.error.code).toBe('USER_CODE_INVALID')
    expect((await complete(userCode)).status).toBe(200)
    testEnv.clock.advance(599_000)
    const again = await testEnv.client.must('deviceStart', {})
    expect((await complete(again.userCode, user)).status).toBe(200)
    testEnv.clock.run()
  })

  test('are counted exactly when they arrive at once', async () => {
    const user = newUser()
    const answers = await Promise.all(Array.from({ length: 64 }, () => complete('YYYYYYYY', user)))
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(30)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(34)
    expect((await complete('YYYYYYYY', user)).status).toBe(429)
  })
})

describe('logins that wait for their approval', () => {
  test('are limited per IP and node, without those decided or expired', async () => {
    const few = await startTestEnv({ MAX_PENDING_LOGINS_PER_IP: '2' })
    const { clock, provider } = few
    clock.freezeAt(clock.now())
    const client = new TestClient(few.app.url, provider)
    const start = (from = '198.51.100.1'): Promise<Answer> =>
      client.call('deviceStart', {}, { headers: { 'x-forwarded-for': from } })
    const decide = async (by: 'deviceComplete' | 'deviceDeny', userCode: string): Promise<void> => {
      await client.must(by, { userCode }, { token: await provider.tokenOf(newUser()) })
    }
    const first = await start()
    clock.advance(1_000)
    const second = await start()
    const refused = await start()
    expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'RATE_LIMITED',
      '599',
    ])
    expect((await start('198.51.100.2')).status).toBe(200)
    await decide('deviceComplete', first.body.userCode as string)
    expect([(await start()).status, (await start()).status]).toEqual([200, 429])
    await decide('deviceDeny', second.body.userCode as string)
    expect([(await start()).status, (await start()).status]).toEqual([200, 429])
    clock.advance(lifetimeMs)
    expect([(await start()).status, (await start()).status, (await start()).status]).toEqual([200, 200, 429])
  })

  test('end once, and expire without a call', async () => {
    const pending = new PendingLogins(1)
    const at = { address: '198.51.100.1', expiresAtMs: 2_000 }
    pending.add('dev_1', at, 1_000)
    expect(() => pending.add('dev_2', at, 1_001)).toThrow('Too many logins from this IP address await approval')
    pending.end('dev_1')
    pending.add('dev_2', at, 1_001)
    pending.end('dev_unknown')
    expect(() => pending.add('dev_3', at, 1_999)).toThrow('Too many')
    pending.add('dev_3', { ...at, expiresAtMs: 3_000 }, 2_000)
  })
})
