/** What the audit log tells of logins and sessions of command-line clients. */
import type { AuditEntry } from '@rollkey/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditEntries } from '../testkit/audit.ts'
import { newUser, type TokenPair } from '../testkit/client.ts'
import type { TestUser } from '../testkit/provider.ts'
import { newOwner, startWorld, type Desk, type World } from '../testkit/world.ts'

const minuteMs = 60_000
let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** After the three of the owner's own login. */
async function entriesOf({ user, at }: Desk): Promise<AuditEntry[]> {
  return (await auditEntries(world.client, at.orgSlug, await world.provider.tokenOf(user))).slice(3)
}

async function newColleague({ user: { orgId, orgSlug } }: Desk): Promise<{ user: TestUser; login: TokenPair }> {
  const user = { userId: newUser().userId, orgId, orgSlug }
  return { user, login: await world.client.login(user) }
}

test('a login is noted by its approval and by the session that it became, a denial as such, each with its request', async () => {
  const desk = await newOwner(world)
  const token = await world.provider.tokenOf(desk.user)
  const headers = { 'x-request-id': 'my-request' }
  const denied = await world.client.must('deviceStart', {})
  await world.client.must('deviceDeny', { userCode: denied.userCode }, { token, headers })
  expect((await world.client.call('deviceDeny', { userCode: denied.userCode }, { token })).status).toBe(404)
  await world.client.call('devicePoll', { deviceCode: denied.deviceCode })
  const { deviceCode } = await world.client.approved(desk.user)
  const pair = await world.client.must('devicePoll', { deviceCode }, { headers })
  await world.client.call('devicePoll', { deviceCode })
  const [id] = (
    await world.client.must('sessionList', { orgSlug: desk.at.orgSlug }, { token: pair.accessToken })
  ).sessions
    .filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
    .map((session: { id: string }) => session.id)
  const who = { actor: desk.user.userId, how: 'provider', client: 'dashboard' }
  const entries = await entriesOf(desk)
  expect(entries).toMatchObject([
    { ...who, action: 'device.deny', subject: expect.stringMatching(/^dev_/), requestId: 'my-request' },
    { ...who, action: 'device.approve' },
    {
      actor: desk.user.userId,
      how: 'session',
      client: 'cli session test',
      action: 'device.exchange',
      subject: id,
      requestId: 'my-request',
    },
  ])
  for (const secret of [deviceCode, denied.userCode, pair.accessToken, pair.refreshToken]) {
    expect(JSON.stringify(entries)).not.toContain(secret)
  }
})

test('64 refreshes with one token are one entry, and 64 polls with one code', async () => {
  const desk = await newOwner(world)
  const all = <T>(call: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 64 }, call))
  await all(() => world.client.refresh(desk.refreshToken))
  const { deviceCode } = await world.client.approved(desk.user)
  await all(() => world.client.call('devicePoll', { deviceCode }))
  expect((await entriesOf(desk)).map(({ action }) => action)).toEqual([
    'session.refresh',
    'device.approve',
    'device.exchange',
  ])
})

test('a refresh that the provider could not be asked about is no entry', async () => {
  const desk = await newOwner(world)
  world.provider.isDown = true
  expect((await world.client.refresh(desk.refreshToken)).status).toBe(503)
  world.provider.isDown = false
  expect(await entriesOf(desk)).toEqual([])
})

test('a session that the rules end says whose it was and why, once', async () => {
  const desk = await newOwner(world)
  const [robbed, removed, used] = [await newColleague(desk), await newColleague(desk), await newColleague(desk)]
  const next = await world.client.must('tokenRefresh', { refreshToken: robbed.login.refreshToken })
  world.clock.advance(minuteMs + 1)
  for (const { refreshToken } of [robbed.login, next, robbed.login]) await world.client.refresh(refreshToken)
  for (const { user } of [removed, used]) world.provider.remove(user)
  for (let time = 0; time < 2; time++) {
    await world.client.refresh(removed.login.refreshToken)
    await world.client.call('list', desk.at, { token: used.login.accessToken })
  }
  const ended = (await entriesOf(desk)).filter(({ action }) => action === 'session.revoke')
  const rules = { how: 'rules', subject: expect.stringMatching(/^ses_/) }
  expect(ended).toMatchObject([
    { ...rules, actor: robbed.user.userId, client: 'refresh token used twice' },
    { ...rules, actor: removed.user.userId, client: 'removed member' },
    { ...rules, actor: used.user.userId, client: 'removed member' },
  ])
})

test('an organization is noted with the first to name it', async () => {
  const user = newUser('newcomers')
  world.provider.setRole(user, 'owner')
  const token = await world.provider.tokenOf(user)
  const at = { orgSlug: user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
  for (let time = 0; time < 3; time++) await world.client.must('list', at, { token })
  expect(await auditEntries(world.client, user.orgSlug, token)).toMatchObject([
    { seq: 1, action: 'organization.create', subject: user.orgId, actor: user.userId, how: 'provider' },
  ])
})
