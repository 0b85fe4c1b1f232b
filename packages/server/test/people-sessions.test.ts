/** The sessions of command-line clients, as people see and end them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askServer } from '../src/admin/socket.ts'
import type { TestUser } from '../testkit/provider.ts'
import { onPostgres } from '../testkit/store.ts'
import { newDesk, newOwner, newServiceToken, startWorld, type Desk, type World } from '../testkit/world.ts'

const day = 86_400_000
let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

interface Listed {
  readonly id: string
  readonly idpUserId: string
  readonly isCurrent: boolean
}

async function sessions({ at: { orgSlug } }: Desk, token: string, everyone?: boolean): Promise<Listed[]> {
  const asked = { orgSlug, ...(everyone !== undefined && { everyone }) }
  return (await world.client.must('sessionList', asked, { token })).sessions
}

async function revoke({ at: { orgSlug } }: Desk, id: string | undefined, token: string): Promise<string> {
  const { status, body } = await world.client.call('sessionRevoke', { orgSlug, id }, { token })
  return status === 200 ? 'ok' : body.error.code
}

/** Twice, so that with two nodes each is asked. */
async function isLive(token: string): Promise<boolean[]> {
  const live = async () => (await world.client.call('session', {}, { token })).status === 200
  return [await live(), await live()]
}

/** Another member of the desk's organization, with a session. */
async function colleague({ user }: Desk): Promise<{ user: TestUser; token: string }> {
  const other = { ...user, userId: `${user.userId}-colleague` }
  return { user: other, token: (await world.client.login(other)).accessToken }
}

describe('the list of sessions', () => {
  test('has those of who asks, the latest used first, and says which one asks', async () => {
    const desk = await newDesk(world)
    world.clock.freezeAt(world.clock.now() + 1_000)
    const nowMs = world.clock.now()
    const second = (await world.client.login(desk.user)).accessToken
    await colleague(desk)
    const mine = { idpUserId: desk.user.userId, clientName: 'test', id: expect.stringMatching(/^ses_/) }
    const found = await sessions(desk, second)
    expect(found).toHaveLength(2)
    expect(found[0]).toEqual({
      ...mine,
      createdAtMs: nowMs,
      lastUsedAtMs: nowMs,
      refreshTokenExpiresAtMs: nowMs + 30 * day,
      isCurrent: true,
    })
    expect(found[1]).toMatchObject({ ...mine, isCurrent: false })
    world.clock.advance(1_000)
    const byProvider = await sessions(desk, await world.provider.tokenOf(desk.user))
    expect(byProvider.map(({ id, isCurrent }) => [id, isCurrent])).toEqual(found.map(({ id }) => [id, false]))
    world.clock.run()
  })

  test('has what can still be used: nothing revoked, nothing expired, one after a refresh', async () => {
    const desk = await newDesk(world)
    const ids = async () => {
      const token = await world.provider.tokenOf(desk.user)
      return (await sessions(desk, token)).map(({ id }) => id)
    }
    const [id] = await ids()
    await world.client.refresh(desk.refreshToken)
    expect(await ids()).toEqual([id])
    const { accessToken, refreshToken } = await world.client.login(desk.user)
    expect(await ids()).toHaveLength(2)
    await world.client.must('logout', { refreshToken }, { token: accessToken })
    expect(await ids()).toEqual([id])
    world.clock.advance(30 * day - 60_000)
    expect(await ids()).toEqual([id])
    world.clock.advance(60_000)
    expect(await ids()).toEqual([])
  })

  test('has everybody’s for owners and admins alone, and no service tokens', async () => {
    const owner = await newOwner(world)
    const { user, token } = await colleague(owner)
    const service = await newServiceToken(world, owner)
    await newDesk(world)
    const users = (await sessions(owner, owner.token, true)).map(({ idpUserId }) => idpUserId)
    expect(users.toSorted()).toEqual([owner.user.userId, user.userId])
    const asked = { orgSlug: owner.at.orgSlug, everyone: true }
    for (const by of [token, service.token as string]) {
      expect((await world.client.call('sessionList', asked, { token: by })).body.error.code).toBe('FORBIDDEN')
    }
    expect(await sessions(owner, service.token as string)).toEqual([])
  })
})

describe('a session is revoked', () => {
  test('by its user, also while it asks, and is dead at once on every node', async () => {
    const desk = await newDesk(world)
    const { accessToken, refreshToken } = await world.client.login(desk.user)
    expect([await isLive(accessToken), await isLive(desk.token)]).toEqual([
      [true, true],
      [true, true],
    ])
    const other = (await sessions(desk, desk.token)).find(({ isCurrent }) => !isCurrent)
    expect(await revoke(desk, other?.id, desk.token)).toBe('ok')
    expect(await isLive(accessToken)).toEqual([false, false])
    expect((await world.client.refresh(refreshToken)).body.error.code).toBe('INVALID_REFRESH_TOKEN')
    const [own] = await sessions(desk, desk.token)
    expect(await revoke(desk, own?.id, desk.token)).toBe('ok')
    expect(await isLive(desk.token)).toEqual([false, false])
  })

  test('by an admin, whoever’s it is, and by no other member', async () => {
    const owner = await newOwner(world)
    const { token, user } = await colleague(owner)
    const all = await sessions(owner, owner.token, true)
    const ofOwner = all.find(({ isCurrent }) => isCurrent)
    const ofMember = all.find(({ idpUserId }) => idpUserId === user.userId)
    expect(await revoke(owner, ofOwner?.id, token)).toBe('NOT_FOUND')
    const service = await newServiceToken(world, owner)
    expect(await revoke(owner, ofMember?.id, service.token as string)).toBe('NOT_FOUND')
    const readOnly = await newServiceToken(world, owner, { readOnly: true })
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

  test('never in another organization, nor by an id of something else', async () => {
    const owner = await newOwner(world)
    const other = await newOwner(world)
    const [foreign] = await sessions(other, other.token)
    expect(await revoke(owner, foreign?.id, owner.token)).toBe('NOT_FOUND')
    const service = await newServiceToken(world, owner)
    expect(await revoke(owner, service.id as string, owner.token)).toBe('NOT_FOUND')
    expect(await revoke(owner, 'ses_unknown', owner.token)).toBe('NOT_FOUND')
    for (const odd of ['', 'a b', '\u0000']) expect(await revoke(owner, odd, owner.token)).toBe('INVALID_REQUEST')
    expect(await isLive(other.token)).toEqual([true, true])
    expect((await world.client.call('whoami', {}, { token: service.token as string })).status).toBe(200)
  })

  test.skipIf(onPostgres)('by the operator, who sees those of an organization', async () => {
    const command = (name: string, ...args: string[]) => askServer(world.app.dataDir, name, args)
    const desk = await newDesk(world)
    const { orgSlug } = desk.at
    const [own] = await sessions(desk, desk.token)
    expect(await command('session-list', orgSlug)).toMatchObject({
      sessions: [{ id: own?.id, idpUserId: desk.user.userId, clientName: 'test' }],
    })
    const id = own?.id ?? ''
    const none = 'There is no session of this id that can still be used.'
    await expect(command('session-revoke', (await newDesk(world)).at.orgSlug, id)).rejects.toThrow(none)
    expect(await isLive(desk.token)).toEqual([true, true])
    expect(await command('session-revoke', orgSlug, id)).toEqual({ revoked: id })
    expect(await isLive(desk.token)).toEqual([false, false])
    await expect(command('session-revoke', orgSlug, id)).rejects.toThrow(none)
    expect(await command('session-list', orgSlug)).toEqual({ sessions: [] })
  })

  test('by exactly one of 64', async () => {
    const desk = await newDesk(world)
    await world.client.login(desk.user)
    const other = (await sessions(desk, desk.token)).find(({ isCurrent }) => !isCurrent)
    const codes = await Promise.all(Array.from({ length: 64 }, () => revoke(desk, other?.id, desk.token)))
    expect(codes.toSorted()).toEqual([...Array.from({ length: 63 }, () => 'NOT_FOUND'), 'ok'])
  })
})
