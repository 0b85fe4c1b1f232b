import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newUser } from '../testkit/client.ts'
import { onPostgres, query } from '../testkit/store.ts'
import { newDesk, startWorld, type World } from '../testkit/world.ts'

const hourMs = 3_600_000
const monthMs = 30 * 86_400_000
let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

function session(token: string) {
  return world.client.call('session', {}, { token })
}

describe('access token', () => {
  test('lives to the last millisecond of its hour', async () => {
    const { accessToken, accessTokenExpiresAtMs } = await world.client.login(newUser())
    world.clock.freezeAt(accessTokenExpiresAtMs - 1)
    expect((await session(accessToken)).status).toBe(200)
    world.clock.freezeAt(accessTokenExpiresAtMs)
    expect((await session(accessToken)).status).toBe(401)
    world.clock.run()
  })

  test('lasts an hour from its issue', async () => {
    world.clock.freezeAt(world.clock.now())
    const { accessTokenExpiresAtMs, refreshTokenExpiresAtMs } = await world.client.login(newUser())
    expect(accessTokenExpiresAtMs).toBe(world.clock.now() + hourMs)
    expect(refreshTokenExpiresAtMs).toBe(world.clock.now() + monthMs)
    world.clock.run()
  })

  test('of before a refresh lives to its own expiry', async () => {
    const { accessToken, refreshToken } = await world.client.login(newUser())
    const next = await world.client.must('tokenRefresh', { refreshToken })
    expect((await session(accessToken)).status).toBe(200)
    expect((await session(next.accessToken)).status).toBe(200)
  })
})

describe('refresh token', () => {
  test('is spent by its use, and its successor works', async () => {
    const { refreshToken } = await world.client.login(newUser())
    const next = await world.client.must('tokenRefresh', { refreshToken })
    const again = await world.client.refresh(refreshToken)
    expect([again.status, again.body.error.code]).toEqual([401, 'INVALID_REFRESH_TOKEN'])
    expect((await world.client.refresh(next.refreshToken)).status).toBe(200)
  })

  test('lives to the last millisecond of its 30 days', async () => {
    const one = await world.client.login(newUser())
    world.clock.freezeAt(one.refreshTokenExpiresAtMs)
    expect((await world.client.refresh(one.refreshToken)).status).toBe(401)
    world.clock.freezeAt(one.refreshTokenExpiresAtMs - 1)
    expect((await world.client.refresh(one.refreshToken)).status).toBe(200)
    world.clock.run()
  })

  test('used again within 60 seconds, is refused and harms nobody', async () => {
    world.clock.freezeAt(world.clock.now())
    const { refreshToken } = await world.client.login(newUser())
    const next = await world.client.must('tokenRefresh', { refreshToken })
    world.clock.advance(60_000)
    expect((await world.client.refresh(refreshToken)).status).toBe(401)
    expect((await session(next.accessToken)).status).toBe(200)
    world.clock.run()
  })

  test('used again later, is taken for theft: the session is over', async () => {
    world.clock.freezeAt(world.clock.now())
    const { accessToken, refreshToken } = await world.client.login(newUser())
    const next = await world.client.must('tokenRefresh', { refreshToken })
    world.clock.advance(60_001)
    expect((await world.client.refresh(refreshToken)).status).toBe(401)
    expect((await session(accessToken)).status).toBe(401)
    expect((await session(next.accessToken)).status).toBe(401)
    expect((await world.client.refresh(next.refreshToken)).body.error.code).toBe('INVALID_REFRESH_TOKEN')
    world.clock.run()
  })

  test('stays usable when the provider cannot be asked', async () => {
    const { refreshToken } = await world.client.login(newUser())
    world.provider.isDown = true
    const failed = await world.client.refresh(refreshToken)
    world.provider.isDown = false
    expect([failed.status, failed.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    expect((await world.client.refresh(refreshToken)).status).toBe(200)
  })
})

describe('logout', () => {
  test('ends both tokens at once, and those of an earlier rotation', async () => {
    const { accessToken, refreshToken } = await world.client.login(newUser())
    const next = await world.client.must('tokenRefresh', { refreshToken })
    await world.client.must('logout', { refreshToken: next.refreshToken }, { token: next.accessToken })
    for (const token of [accessToken, next.accessToken]) expect((await session(token)).status).toBe(401)
    expect((await world.client.refresh(next.refreshToken)).status).toBe(401)
  })

  test('can end another session of the same user, not one of somebody else', async () => {
    const user = newUser()
    const [here, there, other] = await Promise.all([
      world.client.login(user),
      world.client.login(user),
      world.client.login(newUser()),
    ])
    const foreign = await world.client.call('logout', { refreshToken: other.refreshToken }, { token: here.accessToken })
    expect(foreign.status).toBe(401)
    expect((await session(other.accessToken)).status).toBe(200)
    await world.client.must('logout', { refreshToken: there.refreshToken }, { token: here.accessToken })
    expect((await session(there.accessToken)).status).toBe(401)
    expect((await session(here.accessToken)).status).toBe(200)
  })

  test('of the same user in another organization is refused', async () => {
    const user = newUser('one-org')
    const here = await world.client.login(user)
    const there = await world.client.login({ ...user, orgId: 'id-of-two-org', orgSlug: 'two-org' })
    const answer = await world.client.call('logout', { refreshToken: there.refreshToken }, { token: here.accessToken })
    expect(answer.status).toBe(401)
    expect((await session(there.accessToken)).status).toBe(200)
  })

  test('that races a refresh leaves nothing alive', async () => {
    for (let i = 0; i < 20; i++) {
      const { accessToken, refreshToken } = await world.client.login(newUser())
      const [refreshed] = await Promise.all([
        world.client.refresh(refreshToken),
        world.client.call('logout', { refreshToken }, { token: accessToken }),
      ])
      if (refreshed.status !== 200) continue
      expect((await session(refreshed.body.accessToken)).status).toBe(401)
      expect((await world.client.refresh(refreshed.body.refreshToken)).status).toBe(401)
    }
  })
})

describe('session', () => {
  test('tells its last use', async () => {
    const { token } = await newDesk(world)
    world.clock.advance(5_000)
    const before = world.clock.now()
    expect((await session(token)).body.lastUsedAtMs).toBeGreaterThanOrEqual(before)
  })

  test('remembers its last use over a restart', async () => {
    const { token, at, user } = await newDesk(world)
    world.clock.advance(5_000)
    const usedAt = world.clock.now()
    await world.client.must('list', at, { token })
    await world.restart()
    const [row] = await query(world.app.dataDir, 'select last_used_at_ms from sessions where user_id = $1', user.userId)
    expect(Number(row?.['last_used_at_ms'])).toBeGreaterThanOrEqual(usedAt)
  })

  test('after a refresh tells the expiry of the new refresh token', async () => {
    const { accessToken, refreshToken } = await world.client.login(newUser())
    world.clock.advance(10_000)
    const next = await world.client.must('tokenRefresh', { refreshToken })
    expect((await session(accessToken)).body.refreshTokenExpiresAtMs).toBe(next.refreshTokenExpiresAtMs)
  })
})

describe('removed member', () => {
  test('is noticed on use after 60 seconds: 403 once, then 401, also when the member comes back', async () => {
    const { user, token, at } = await newDesk(world)
    world.provider.remove(user)
    expect((await world.client.call('list', at, { token })).status).toBe(200)
    world.clock.advance(61_000)
    const first = await world.client.call('list', at, { token })
    expect([first.status, first.body.error.code]).toEqual([403, 'ORG_SCOPE_INVALID'])
    world.provider.restore(user)
    expect((await world.client.call('list', at, { token })).status).toBe(401)
  })

  test('is noticed at the next refresh, whenever that is', async () => {
    const { user, token, refreshToken } = await newDesk(world)
    world.provider.remove(user)
    const refreshed = await world.client.refresh(refreshToken)
    expect([refreshed.status, refreshed.body.error.code]).toEqual([403, 'ORG_SCOPE_INVALID'])
    expect((await session(token)).status).toBe(401)
    expect((await world.client.refresh(refreshToken)).status).toBe(401)
  })

  test('gets 403 each time with provider tokens', async () => {
    const user = newUser()
    world.provider.remove(user)
    for (let i = 0; i < 3; i++) {
      const token = await world.provider.tokenOf(user)
      const at = { orgSlug: user.orgSlug, projectSlug: 'p', stageSlug: 's' }
      expect((await world.client.call('list', at, { token })).body.error.code).toBe('ORG_SCOPE_INVALID')
    }
  })

  test('is asked for once a minute by a node, not once a request', async () => {
    const { token, at } = await newDesk(world)
    world.clock.advance(61_000)
    world.provider.membershipQuestions = 0
    await Promise.all(Array.from({ length: 50 }, () => world.client.must('list', at, { token })))
    expect(world.provider.membershipQuestions).toBe(onPostgres ? 2 : 1)
  })

  test('stays a member for 15 minutes while the provider cannot be asked, then it is 503', async () => {
    const { token, at } = await newDesk(world)
    world.provider.isDown = true
    world.clock.advance(14 * 60_000)
    expect((await world.client.call('list', at, { token })).status).toBe(200)
    world.clock.advance(61_000)
    const answer = await world.client.call('list', at, { token })
    expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    world.provider.isDown = false
    expect((await world.client.call('list', at, { token })).status).toBe(200)
  })
})
