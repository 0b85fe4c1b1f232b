import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newUser } from '../testkit/client.ts'
import { startWorld, type World } from '../testkit/world.ts'

const lifetimeMs = 600_000
let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

async function complete(userCode: string, user = newUser()) {
  return world.client.call('deviceComplete', { userCode }, { token: await world.provider.tokenOf(user) })
}

describe('device code', () => {
  test('goes from pending to approved to exchanged, and the tokens work', async () => {
    const user = newUser()
    const { deviceCode, userCode, expiresInSec, intervalSec } = await world.client.must('deviceStart', {})
    expect([expiresInSec, intervalSec]).toEqual([600, 5])
    expect(await world.client.must('devicePoll', { deviceCode })).toMatchObject({ status: 'pending' })
    expect((await complete(userCode, user)).body).toMatchObject({ ok: true })
    const now = world.clock.now()
    const pair = await world.client.must('devicePoll', { deviceCode })
    expect(pair.status).toBe('approved')
    expect(pair.accessToken).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)
    expect(pair.refreshToken).toMatch(/^svc_rt_[A-Za-z0-9_-]{43}$/)
    expect(pair.accessTokenExpiresAtMs - now).toBeLessThan(3_600_000 + 1_000)
    expect(pair.refreshTokenExpiresAtMs - pair.accessTokenExpiresAtMs).toBe(30 * 86_400_000 - 3_600_000)
    const session = await world.client.must('session', {}, { token: pair.accessToken })
    expect(session).toMatchObject({ idpUserId: user.userId, orgSlug: user.orgSlug })
    expect((await world.client.call('devicePoll', { deviceCode })).body.error.code).toBe('DEVICE_CODE_NOT_FOUND')
  })

  test('has a link that carries the user code in its fragment', async () => {
    const { userCode, verificationUri, verificationUriComplete } = await world.client.must('deviceStart', {})
    expect(verificationUri).toBe(`${world.app.url}/device`)
    expect(verificationUriComplete).toBe(`${verificationUri}#user_code=${userCode}`)
  })

  test.each(['poll', 'complete'] as const)('expires at the very millisecond for %s', async (by) => {
    const { deviceCode, userCode } = await world.client.must('deviceStart', {})
    world.clock.freezeAt(world.clock.now())
    const started = world.clock.now()
    const fresh = await world.client.must('deviceStart', {})
    world.clock.freezeAt(started + lifetimeMs - 1)
    expect((await world.client.call('devicePoll', { deviceCode: fresh.deviceCode })).body.status).toBe('pending')
    world.clock.freezeAt(started + lifetimeMs)
    const answer =
      by === 'poll'
        ? await world.client.call('devicePoll', { deviceCode: fresh.deviceCode })
        : await complete(fresh.userCode)
    expect([answer.status, answer.body.error.code]).toEqual([410, 'DEVICE_CODE_EXPIRED'])
    expect((await world.client.call('devicePoll', { deviceCode })).status).toBe(410)
    expect((await complete(userCode)).status).toBe(410)
    world.clock.run()
  })

  test('approved and never polled, expires with the same 600 seconds', async () => {
    world.clock.freezeAt(world.clock.now())
    const { deviceCode, userCode } = await world.client.approved(newUser())
    world.clock.advance(lifetimeMs)
    expect((await world.client.call('devicePoll', { deviceCode })).status).toBe(410)
    expect((await complete(userCode)).status).toBe(410)
    world.clock.run()
  })

  test('approved one millisecond before the end, can be redeemed until the end', async () => {
    world.clock.freezeAt(world.clock.now())
    const { deviceCode, userCode } = await world.client.must('deviceStart', {})
    world.clock.advance(lifetimeMs - 1)
    expect((await complete(userCode)).status).toBe(200)
    expect((await world.client.must('devicePoll', { deviceCode })).status).toBe('approved')
    world.clock.run()
  })

  test('exchanged, is not found for ever', async () => {
    const { deviceCode, userCode } = await world.client.approved(newUser())
    await world.client.must('devicePoll', { deviceCode })
    world.clock.advance(lifetimeMs + 1)
    expect((await world.client.call('devicePoll', { deviceCode })).status).toBe(404)
    expect((await complete(userCode)).status).toBe(404)
  })

  test('is approved once: the session belongs to the first user and organization', async () => {
    const first = newUser('first-org')
    const { deviceCode, userCode } = await world.client.must('deviceStart', {})
    expect((await complete(userCode, first)).status).toBe(200)
    expect((await complete(userCode, newUser('second-org'))).body.error.code).toBe('DEVICE_CODE_NOT_FOUND')
    const { accessToken } = await world.client.must('devicePoll', { deviceCode })
    const session = await world.client.must('session', {}, { token: accessToken })
    expect(session).toMatchObject({ idpUserId: first.userId, orgSlug: 'first-org' })
  })
})

describe('wrong user codes', () => {
  test('lock the user out after 30 in 10 minutes, until the window has moved on; others are not touched', async () => {
    const user = newUser()
    world.clock.freezeAt(world.clock.now())
    for (let i = 0; i < 30; i++) {
      expect((await complete('ZZZZZZZZ', user)).status).toBe(404)
      if (i === 0) world.clock.advance(1_000)
    }
    const { userCode } = await world.client.must('deviceStart', {})
    const locked = await complete(userCode, user)
    expect([locked.status, locked.body.error.code]).toEqual([429, 'RATE_LIMITED'])
    expect(Number(locked.headers.get('retry-after'))).toBe(599)
    expect((await complete('zzzzzzzz', user)).body.error.code).toBe('USER_CODE_INVALID')
    expect((await complete(userCode)).status).toBe(200)
    world.clock.advance(599_000)
    const again = await world.client.must('deviceStart', {})
    expect((await complete(again.userCode, user)).status).toBe(200)
    world.clock.run()
  })

  test('are counted exactly when they come at once', async () => {
    const user = newUser()
    const answers = await Promise.all(Array.from({ length: 64 }, () => complete('YYYYYYYY', user)))
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(30)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(34)
  })
})
