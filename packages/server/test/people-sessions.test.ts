/** Tests how people see and end the sessions of command-line clients. */
import { describe, expect, test } from 'vitest'
import { inServer } from '../testkit/operator.ts'
import type { TestUser } from '../testkit/provider.ts'
import { onPostgres } from '../testkit/store.ts'
import { newTenant, newOwner, newServiceToken, useTestEnv, type TestTenant } from '../testkit/test-env.ts'

const day = 86_400_000
const testEnv = useTestEnv()

interface Listed {
  readonly id: string
  readonly idpUserId: string
  readonly isCurrent: boolean
}

async function sessions({ at: { orgSlug } }: TestTenant, token: string, everyone?: boolean): Promise<Listed[]> {
  const input = { orgSlug, ...(everyone !== undefined && { everyone }) }
  return (await testEnv.client.must('sessionList', input, { token })).sessions
}

async function revoke({ at: { orgSlug } }: TestTenant, id: string | undefined, token: string): Promise<string> {
  const { status, body } = await testEnv.client.call('sessionRevoke', { orgSlug, id }, { token })
  return status === 200 ? 'ok' : body.error.code
}

/** Calls twice, so that each of two nodes answers once. */
async function isLive(token: string): Promise<boolean[]> {
  const live = async () => (await testEnv.client.call('session', {}, { token })).status === 200
  return [await live(), await live()]
}

/** Adds a member with a session to the tenant's organization. */
async function colleague({ user }: TestTenant): Promise<{ user: TestUser; token: string }> {
  const other = { ...user, userId: `${user.userId}-colleague` }
  return { user: other, token: (await testEnv.client.login(other)).accessToken }
}

describe('the list of sessions', () => {
  test("contains the caller's sessions, latest used first, and marks the current one", async () => {
    const tenant = await newTenant(testEnv)
    testEnv.clock.freezeAt(testEnv.clock.now() + 1_000)
    const nowMs = testEnv.clock.now()
    const second = (await testEnv.client.login(tenant.user)).accessToken
    await colleague(tenant)
    const mine = { idpUserId: tenant.user.userId, clientName: 'test', id: expect.stringMatching(/^ses_/) }
    const found = await sessions(tenant, second)
    expect(found).toHaveLength(2)
    expect(found[0]).toEqual({
      ...mine,
      createdAtMs: nowMs,
      lastUsedAtMs: nowMs,
      refreshTokenExpiresAtMs: nowMs + 30 * day,
      isCurrent: true,
    })
    expect(found[1]).toMatchObject({ ...mine, isCurrent: false })
    testEnv.clock.advance(1_000)
    const byProvider = await sessions(tenant, await testEnv.provider.tokenOf(tenant.user))
    expect(byProvider.map(({ id, isCurrent }) => [id, isCurrent])).toEqual(found.map(({ id }) => [id, false]))
    testEnv.clock.run()
  })

  test('contains only usable sessions: none revoked, none expired, one after a refresh', async () => {
    testEnv.clock.freezeAt(testEnv.clock.now())
    const tenant = await newTenant(testEnv)
    const ids = async () => {
      const token = await testEnv.provider.tokenOf(tenant.user)
      return (await sessions(tenant, token)).map(({ id }) => id)
    }
    const [id] = await ids()
    await testEnv.client.refresh(tenant.refreshToken)
    expect(await ids()).toEqual([id])
    const { accessToken, refreshToken } = await testEnv.client.login(tenant.user)
    expect(await ids()).toHaveLength(2)
    await testEnv.client.must('logout', { refreshToken }, { token: accessToken })
    expect(await ids()).toEqual([id])
    testEnv.clock.advance(30 * day - 60_000)
    expect(await ids()).toEqual([id])
    testEnv.clock.advance(60_000)
    expect(await ids()).toEqual([])
    testEnv.clock.run()
  })

  test('contains the sessions of all members for owners and admins only, and no service tokens', async () => {
    const owner = await newOwner(testEnv)
    const { user, token } = await colleague(owner)
    const service = await newServiceToken(testEnv, owner)
    await newTenant(testEnv)
    const users = (await sessions(owner, owner.token, true)).map(({ idpUserId }) => idpUserId)
    expect(users.toSorted()).toEqual([owner.user.userId, user.userId])
    const input = { orgSlug: owner.at.orgSlug, everyone: true }
    for (const by of [token, service.token as string]) {
      expect((await testEnv.client.call('sessionList', input, { token: by })).body.error.code).toBe('FORBIDDEN')
    }
    expect(await sessions(owner, service.token as string)).toEqual([])
  })
})

describe('a session can be revoked', () => {
  test('by its user, even while it makes a request, and ends at once on every node', async () => {
    const tenant = await newTenant(testEnv)
    const { accessToken, refreshToken } = await testEnv.client.login(tenant.user)
    expect([await isLive(accessToken), await isLive(tenant.token)]).toEqual([
      [true, true],
      [true, true],
    ])
    const other = (await sessions(tenant, tenant.token)).find(({ isCurrent }) => !isCurrent)
    expect(await revoke(tenant, other?.id, tenant.token)).toBe('ok')
    expect(await isLive(accessToken)).toEqual([false, false])
    expect((await testEnv.client.refresh(refreshToken)).body.error.code).toBe('INVALID_REFRESH_TOKEN')
    const [own] = await sessions(tenant, tenant.token)
    expect(await revoke(tenant, own?.id, tenant.token)).toBe('ok')
    expect(await isLive(tenant.token)).toEqual([false, false])
  })

  test('by an admin for any member, and by no other member', async () => {
    const owner = await newOwner(testEnv)
    const { token, user } = await colleague(owner)
    const all = await sessions(owner, owner.token, true)
    const ofOwner = all.find(({ isCurrent }) => isCurrent)
    const ofMember = all.find(({ idpUserId }) => idpUserId === user.userId)
    expect(await revoke(owner, ofOwner?.id, token)).toBe('NOT_FOUND')
    const service = await newServiceToken(testEnv, owner)
    expect(await revoke(owner, ofMember?.id, service.token as string)).toBe('NOT_FOUND')
    const readOnly = await newServiceToken(testEnv, owner, { readOnly: true })
    expect(await revoke(owner, ofMember?.id, readOnly.token as string)).toBe('FORBIDDEN')
    expect([await isLive(token), await isLive(owner.token)]).toEqual([
      [true, true],
      [true, true],
    ])
    expect(await revoke(owner, ofMember?.id, owner.token)).toBe('ok')
    expect([await isLive(token), await isLive(owner.token)]).toEqual([
      [false, false],
      [true, true],
    ])
  })

  test('only in its organization, and not by the id of something else', async () => {
    const owner = await newOwner(testEnv)
    const other = await newOwner(testEnv)
    const [foreign] = await sessions(other, other.token)
    expect(await revoke(owner, foreign?.id, owner.token)).toBe('NOT_FOUND')
    const service = await newServiceToken(testEnv, owner)
    expect(await revoke(owner, service.id as string, owner.token)).toBe('NOT_FOUND')
    expect(await revoke(owner, 'ses_unknown', owner.token)).toBe('NOT_FOUND')
    for (const odd of ['', 'a b', '\u0000']) expect(await revoke(owner, odd, owner.token)).toBe('INVALID_REQUEST')
    expect(await isLive(other.token)).toEqual([true, true])
    expect((await testEnv.client.call('whoami', {}, { token: service.token as string })).status).toBe(200)
  })

  test.skipIf(onPostgres)('by the operator, who can list the sessions of an organization', async () => {
    const command = (words: string) => inServer(testEnv.app.dataDir, [words])
    const tenant = await newTenant(testEnv)
    const { orgSlug } = tenant.at
    const [own] = await sessions(tenant, tenant.token)
    expect(await command(`session list --org ${orgSlug}`)).toMatchObject({
      sessions: [{ id: own?.id, idpUserId: tenant.user.userId, clientName: 'test' }],
    })
    const id = own?.id ?? ''
    const none = 'The organization has no active session with this ID'
    const { orgSlug: other } = (await newTenant(testEnv)).at
    await expect(command(`session revoke ${id} --org ${other}`)).rejects.toThrow(none)
    expect(await isLive(tenant.token)).toEqual([true, true])
    expect(await command(`session revoke ${id} --org ${orgSlug}`)).toEqual({ revoked: id })
    expect(await isLive(tenant.token)).toEqual([false, false])
    await expect(command(`session revoke ${id} --org ${orgSlug}`)).rejects.toThrow(none)
    expect(await command(`session list --org ${orgSlug}`)).toEqual({ sessions: [] })
  })

  test('by exactly one of 64 calls', async () => {
    const tenant = await newTenant(testEnv)
    await testEnv.client.login(tenant.user)
    const other = (await sessions(tenant, tenant.token)).find(({ isCurrent }) => !isCurrent)
    const codes = await Promise.all(Array.from({ length: 64 }, () => revoke(tenant, other?.id, tenant.token)))
    expect(codes.toSorted()).toEqual([...Array.from({ length: 63 }, () => 'NOT_FOUND'), 'ok'])
  })
})
