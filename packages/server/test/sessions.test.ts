import { beforeEach, describe, expect, test } from 'vitest'
import { newUser } from '../testkit/client.ts'
import { onPostgres, query } from '../testkit/store.ts'
import { newTenant, useTestEnv } from '../testkit/test-env.ts'

const hourMs = 3_600_000
const monthMs = 30 * 86_400_000
const testEnv = useTestEnv()

beforeEach(() => testEnv.clock.freezeAt(testEnv.clock.now()))

function session(token: string) {
  return testEnv.client.call('session', {}, { token })
}

describe('access token', () => {
  test('is valid to the last millisecond of its hour', async () => {
    const { accessToken, accessTokenExpiresAtMs } = await testEnv.client.login(newUser())
    testEnv.clock.freezeAt(accessTokenExpiresAtMs - 1)
    expect((await session(accessToken)).status).toBe(200)
    testEnv.clock.freezeAt(accessTokenExpiresAtMs)
    expect((await session(accessToken)).status).toBe(401)
  })

  test('is valid for an hour from its issue', async () => {
    const { accessTokenExpiresAtMs, refreshTokenExpiresAtMs } = await testEnv.client.login(newUser())
    expect(accessTokenExpiresAtMs).toBe(testEnv.clock.now() + hourMs)
    expect(refreshTokenExpiresAtMs).toBe(testEnv.clock.now() + monthMs)
  })

  test('stays valid to its own expiry after a refresh', async () => {
    const { accessToken, refreshToken } = await testEnv.client.login(newUser())
    const next = await testEnv.client.must('tokenRefresh', { refreshToken })
    expect((await session(accessToken)).status).toBe(200)
    expect((await session(next.accessToken)).status).toBe(200)
  })
})

describe('refresh token', () => {
  test('is spent by its use, and its successor works', async () => {
    const { refreshToken } = await testEnv.client.login(newUser())
    const next = await testEnv.client.must('tokenRefresh', { refreshToken })
    const again = await testEnv.client.refresh(refreshToken)
    expect([again.status, again.body.error.code]).toEqual([401, 'INVALID_REFRESH_TOKEN'])
    expect((await testEnv.client.refresh(next.refreshToken)).status).toBe(200)
  })

  test('is valid to the last millisecond of its 30 days', async () => {
    const one = await testEnv.client.login(newUser())
    testEnv.clock.freezeAt(one.refreshTokenExpiresAtMs)
    expect((await testEnv.client.refresh(one.refreshToken)).status).toBe(401)
    testEnv.clock.freezeAt(one.refreshTokenExpiresAtMs - 1)
    expect((await testEnv.client.refresh(one.refreshToken)).status).toBe(200)
  })

  test('is refused if used again within 60 seconds, and the session continues', async () => {
    const { refreshToken } = await testEnv.client.login(newUser())
    const next = await testEnv.client.must('tokenRefresh', { refreshToken })
    testEnv.clock.advance(60_000)
    expect((await testEnv.client.refresh(refreshToken)).status).toBe(401)
    expect((await session(next.accessToken)).status).toBe(200)
  })

  test('ends the session if used again later, because that indicates theft', async () => {
    const { accessToken, refreshToken } = await testEnv.client.login(newUser())
    const next = await testEnv.client.must('tokenRefresh', { refreshToken })
    testEnv.clock.advance(60_001)
    expect((await testEnv.client.refresh(refreshToken)).status).toBe(401)
    expect((await session(accessToken)).status).toBe(401)
    expect((await session(next.accessToken)).status).toBe(401)
    expect((await testEnv.client.refresh(next.refreshToken)).body.error.code).toBe('INVALID_REFRESH_TOKEN')
  })

  test('stays usable if the provider is unavailable', async () => {
    const { refreshToken } = await testEnv.client.login(newUser())
    testEnv.provider.isDown = true
    const failed = await testEnv.client.refresh(refreshToken)
    testEnv.provider.isDown = false
    expect([failed.status, failed.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect((await testEnv.client.refresh(refreshToken)).status).toBe(200)
  })
})

describe('logout', () => {
  test('ends both tokens at once, and those of an earlier rotation', async () => {
    const { accessToken, refreshToken } = await testEnv.client.login(newUser())
    const next = await testEnv.client.must('tokenRefresh', { refreshToken })
    await testEnv.client.must('logout', { refreshToken: next.refreshToken }, { token: next.accessToken })
    for (const token of [accessToken, next.accessToken]) expect((await session(token)).status).toBe(401)
    expect((await testEnv.client.refresh(next.refreshToken)).status).toBe(401)
  })

  test('can end another session of the same user, but not of another user', async () => {
    const user = newUser()
    const [here, there, other] = await Promise.all([
      testEnv.client.login(user),
      testEnv.client.login(user),
      testEnv.client.login(newUser()),
    ])
    const foreign = await testEnv.client.call(
      'logout',
      { refreshToken: other.refreshToken },
      { token: here.accessToken },
    )
    expect(foreign.status).toBe(401)
    expect((await session(other.accessToken)).status).toBe(200)
    await testEnv.client.must('logout', { refreshToken: there.refreshToken }, { token: here.accessToken })
    expect((await session(there.accessToken)).status).toBe(401)
    expect((await session(here.accessToken)).status).toBe(200)
  })

  test('is refused for the same user in another organization', async () => {
    const user = newUser('one-org')
    const here = await testEnv.client.login(user)
    const there = await testEnv.client.login({ ...user, orgId: 'id-of-two-org', orgSlug: 'two-org' })
    const answer = await testEnv.client.call(
      'logout',
      { refreshToken: there.refreshToken },
      { token: here.accessToken },
    )
    expect(answer.status).toBe(401)
    expect((await session(there.accessToken)).status).toBe(200)
  })

  test('that races a refresh leaves no token valid', async () => {
    for (let race = 0; race < 20; race++) {
      const { accessToken, refreshToken } = await testEnv.client.login(newUser())
      const refreshing = testEnv.client.refresh(refreshToken)
      // One of them certainly comes before the logout.
      if (race === 0) await refreshing
      const [refreshed] = await Promise.all([
        refreshing,
        testEnv.client.call('logout', { refreshToken }, { token: accessToken }),
      ])
      if (refreshed.status !== 200) continue
      expect((await session(refreshed.body.accessToken)).status).toBe(401)
      expect((await testEnv.client.refresh(refreshed.body.refreshToken)).status).toBe(401)
    }
  })
})

describe('session', () => {
  test('shows its last use', async () => {
    const { token } = await newTenant(testEnv)
    testEnv.clock.advance(5_000)
    const before = testEnv.clock.now()
    expect((await session(token)).body.lastUsedAtMs).toBeGreaterThanOrEqual(before)
  })

  test('keeps its last use over a restart', async () => {
    const { token, at, user } = await newTenant(testEnv)
    testEnv.clock.advance(5_000)
    const usedAt = testEnv.clock.now()
    await testEnv.client.must('list', at, { token })
    await testEnv.restart()
    const [row] = await query(
      testEnv.app.dataDir,
      'select last_used_at_ms from sessions where user_id = $1',
      user.userId,
    )
    expect(Number(row?.['last_used_at_ms'])).toBeGreaterThanOrEqual(usedAt)
  })

  test('shows the expiry of the new refresh token after a refresh', async () => {
    const { accessToken, refreshToken } = await testEnv.client.login(newUser())
    testEnv.clock.advance(10_000)
    const next = await testEnv.client.must('tokenRefresh', { refreshToken })
    expect((await session(accessToken)).body.refreshTokenExpiresAtMs).toBe(next.refreshTokenExpiresAtMs)
  })
})

describe('removed member', () => {
  test('is noticed on use after 60 seconds: 403 once, then 401, even if the member returns', async () => {
    const { user, token, at } = await newTenant(testEnv)
    testEnv.provider.remove(user)
    expect((await testEnv.client.call('list', at, { token })).status).toBe(200)
    testEnv.clock.advance(61_000)
    const first = await testEnv.client.call('list', at, { token })
    expect([first.status, first.body.error.code]).toEqual([403, 'ORG_SCOPE_INVALID'])
    testEnv.provider.restore(user)
    expect((await testEnv.client.call('list', at, { token })).status).toBe(401)
  })

  test('is noticed at the next refresh, however late', async () => {
    const { user, token, refreshToken } = await newTenant(testEnv)
    testEnv.provider.remove(user)
    const refreshed = await testEnv.client.refresh(refreshToken)
    expect([refreshed.status, refreshed.body.error.code]).toEqual([403, 'ORG_SCOPE_INVALID'])
    expect((await session(token)).status).toBe(401)
    expect((await testEnv.client.refresh(refreshToken)).status).toBe(401)
  })

  test('gets 403 each time with provider tokens', async () => {
    const user = newUser()
    testEnv.provider.remove(user)
    for (let i = 0; i < 3; i++) {
      const token = await testEnv.provider.tokenOf(user)
      const at = { orgSlug: user.orgSlug, projectSlug: 'p', stageSlug: 's' }
      expect((await testEnv.client.call('list', at, { token })).body.error.code).toBe('ORG_SCOPE_INVALID')
    }
  })

  test('is looked up once a minute per node, not once per request', async () => {
    const { token, at } = await newTenant(testEnv)
    testEnv.clock.advance(61_000)
    testEnv.provider.membershipQuestions = 0
    await Promise.all(Array.from({ length: 50 }, () => testEnv.client.must('list', at, { token })))
    expect(testEnv.provider.membershipQuestions).toBe(onPostgres ? 2 : 1)
  })

  test('counts as a member for 15 minutes while the provider is unavailable, then gets 503', async () => {
    const { token, at } = await newTenant(testEnv)
    testEnv.provider.isDown = true
    testEnv.clock.advance(14 * 60_000)
    expect((await testEnv.client.call('list', at, { token })).status).toBe(200)
    testEnv.clock.advance(61_000)
    const answer = await testEnv.client.call('list', at, { token })
    expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    testEnv.provider.isDown = false
    expect((await testEnv.client.call('list', at, { token })).status).toBe(200)
  })
})
