/** Tests the audit entries of logins and sessions of command-line clients. */
import type { AuditEntry } from '@rollkey/contract'
import { beforeEach, expect, test } from 'vitest'
import { auditEntries } from '../testkit/audit.ts'
import { newUser, type TokenPair } from '../testkit/client.ts'
import type { TestUser } from '../testkit/provider.ts'
import { newOwner, useTestEnv, type TestTenant } from '../testkit/test-env.ts'

const minuteMs = 60_000
const testEnv = useTestEnv()

// A minute after its use, a refresh token ends its session.
beforeEach(() => testEnv.clock.freezeAt(testEnv.clock.now()))

/** Returns the entries after the three of the owner's own login. */
async function entriesOf({ user, at }: TestTenant): Promise<AuditEntry[]> {
  return (await auditEntries(testEnv.client, at.orgSlug, await testEnv.provider.tokenOf(user))).slice(3)
}

async function newColleague({ user: { orgId, orgSlug } }: TestTenant): Promise<{ user: TestUser; login: TokenPair }> {
  const user = { userId: newUser().userId, orgId, orgSlug }
  return { user, login: await testEnv.client.login(user) }
}

test('the log records a login by its approval and its session, and a denial, each with its request id', async () => {
  const tenant = await newOwner(testEnv)
  const token = await testEnv.provider.tokenOf(tenant.user)
  const headers = { 'x-request-id': 'my-request' }
  const denied = await testEnv.client.must('deviceStart', {})
  await testEnv.client.must('deviceDeny', { userCode: denied.userCode }, { token, headers })
  expect((await testEnv.client.call('deviceDeny', { userCode: denied.userCode }, { token })).status).toBe(404)
  await testEnv.client.call('devicePoll', { deviceCode: denied.deviceCode })
  const { deviceCode } = await testEnv.client.approved(tenant.user)
  const pair = await testEnv.client.must('devicePoll', { deviceCode }, { headers })
  await testEnv.client.call('devicePoll', { deviceCode })
  const [id] = (
    await testEnv.client.must('sessionList', { orgSlug: tenant.at.orgSlug }, { token: pair.accessToken })
  ).sessions
    .filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
    .map((session: { id: string }) => session.id)
  const who = { actor: tenant.user.userId, how: 'provider', client: 'dashboard' }
  const entries = await entriesOf(tenant)
  expect(entries).toMatchObject([
    { ...who, action: 'device.deny', facts: { loginId: expect.stringMatching(/^dev_/) }, requestId: 'my-request' },
    { ...who, action: 'device.approve' },
    {
      actor: tenant.user.userId,
      how: 'session',
      client: 'cli session test',
      action: 'device.exchange',
      facts: { sessionId: id },
      requestId: 'my-request',
    },
  ])
  for (const secret of [deviceCode, denied.userCode, pair.accessToken, pair.refreshToken]) {
    expect(JSON.stringify(entries)).not.toContain(secret)
  }
})

test('the log has one entry for 64 refreshes with one token, and one for 64 polls with one code', async () => {
  const tenant = await newOwner(testEnv)
  const all = <T>(call: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 64 }, call))
  await all(() => testEnv.client.refresh(tenant.refreshToken))
  const { deviceCode } = await testEnv.client.approved(tenant.user)
  await all(() => testEnv.client.call('devicePoll', { deviceCode }))
  expect((await entriesOf(tenant)).map(({ action }) => action)).toEqual([
    'session.refresh',
    'device.approve',
    'device.exchange',
  ])
})

test('the log records no refresh whose provider is unavailable', async () => {
  const tenant = await newOwner(testEnv)
  testEnv.provider.isDown = true
  expect((await testEnv.client.refresh(tenant.refreshToken)).status).toBe(503)
  testEnv.provider.isDown = false
  expect(await entriesOf(tenant)).toEqual([])
})

test('the log records whose session the system ended and why, once', async () => {
  const tenant = await newOwner(testEnv)
  const [robbed, removed, used] = [await newColleague(tenant), await newColleague(tenant), await newColleague(tenant)]
  const next = await testEnv.client.must('tokenRefresh', { refreshToken: robbed.login.refreshToken })
  testEnv.clock.advance(minuteMs + 1)
  for (const { refreshToken } of [robbed.login, next, robbed.login]) await testEnv.client.refresh(refreshToken)
  for (const { user } of [removed, used]) testEnv.provider.remove(user)
  for (let time = 0; time < 2; time++) {
    await testEnv.client.refresh(removed.login.refreshToken)
    await testEnv.client.call('list', tenant.at, { token: used.login.accessToken })
  }
  const ended = (await entriesOf(tenant)).filter(({ action }) => action === 'session.revoke')
  const bySystem = { how: 'system', facts: { sessionId: expect.stringMatching(/^ses_/) } }
  expect(ended).toMatchObject([
    { ...bySystem, actor: robbed.user.userId, client: 'refresh token used twice' },
    { ...bySystem, actor: removed.user.userId, client: 'removed member' },
    { ...bySystem, actor: used.user.userId, client: 'removed member' },
  ])
})

test('the log records an organization with the first user who names it', async () => {
  const user = newUser('newcomers')
  testEnv.provider.setRole(user, 'owner')
  const token = await testEnv.provider.tokenOf(user)
  const at = { orgSlug: user.orgSlug, projectSlug: 'shop', stageSlug: 'prod' }
  for (let time = 0; time < 3; time++) await testEnv.client.must('list', at, { token })
  expect(await auditEntries(testEnv.client, user.orgSlug, token)).toMatchObject([
    { seq: 1, action: 'organization.create', facts: { idpOrgId: user.orgId }, actor: user.userId, how: 'provider' },
  ])
})
