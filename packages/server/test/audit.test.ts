import type { AuditEntry } from '@rollkey/contract'
import { expect, test } from 'vitest'
import { auditEntries } from '../testkit/audit.ts'
import { newUser } from '../testkit/client.ts'
import { roll, secret } from '../testkit/entries.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  tenantAt,
  useTestEnv,
  write,
  type TestTenant,
} from '../testkit/test-env.ts'

const testEnv = useTestEnv()

/** Returns the entries, newest first. */
async function entriesOf({ at, token }: TestTenant, filter: object = {}): Promise<AuditEntry[]> {
  return (await auditEntries(testEnv.client, at.orgSlug, token, filter)).toReversed()
}

test('the log records every change with actor, credential and origin, without a gap, and no refused change', async () => {
  const tenant = await newOwner(testEnv)
  const { at, token, user, refreshToken } = tenant
  const as = { token }
  const headers = { 'x-request-id': 'my-request' }
  await write(testEnv, tenant, [secret('A', 'v'), roll('R', 0.5)])
  await testEnv.client.must('write', { ...at, mode: 'upsert', deletes: ['A'] }, { token, headers })
  await testEnv.client.must('update', { ...at, updates: [{ name: 'R', chance: 1 }] }, as)
  const { orgSlug, projectSlug } = at
  const to = { projectSlug, stageSlug: 'test' }
  await testEnv.client.must('copy', { orgSlug, from: at, to, names: ['R'] }, as)
  await testEnv.client.must('restore', { ...at, revision: 1 }, as)
  await testEnv.client.must('reveal', { ...at, names: ['A'] }, { token: await testEnv.provider.tokenOf(user) })
  await write(testEnv, tenant, [])
  expect((await testEnv.client.call('write', { ...at, mode: 'upsert', entries: [], ifRevision: 9 }, as)).status).toBe(
    409,
  )
  const { id, token: service } = await newServiceToken(testEnv, tenant, { name: 'ci', projectSlug, stageSlug: 'prod' })
  await write(testEnv, { ...tenant, token: service as string }, [secret('B', '1')])
  await testEnv.client.must('tokenRevoke', { orgSlug, id }, as)
  await testEnv.client.call('tokenRevoke', { orgSlug, id }, as)
  const another = await testEnv.client.login(user)
  await testEnv.client.must('logout', { refreshToken: another.refreshToken }, as)

  const entries = (await entriesOf(tenant)).toReversed()
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
  const session = { actor: user.userId, how: 'session', client: 'cli session test' }
  const person = { ...session, ...to, stageSlug: 'prod' }
  const one = { names: ['A'], nameCount: 1 }
  const owned = { actor: user.userId, how: 'provider', client: 'dashboard' }
  expect(entries).toMatchObject([
    { ...owned, action: 'organization.create', facts: { idpOrgId: user.orgId } },
    { ...owned, action: 'device.approve', facts: { loginId: expect.stringMatching(/^dev_/) } },
    { ...session, action: 'device.exchange', facts: { sessionId: expect.stringMatching(/^ses_/) } },
    { ...session, action: 'project.create', projectSlug },
    { ...person, action: 'stage.create', revision: 1 },
    { ...person, action: 'variable.create', names: ['A', 'R'], nameCount: 2, revision: 1 },
    { ...person, action: 'variable.delete', ...one, revision: 2, requestId: 'my-request' },
    {
      ...person,
      action: 'chance',
      names: ['R'],
      revision: 3,
      facts: { before: { chance: 0.5 }, after: { chance: 1 } },
    },
    { ...person, action: 'stage.create', stageSlug: 'test', revision: 1 },
    { ...person, action: 'copy', stageSlug: 'test', names: ['R'], revision: 1 },
    { ...person, action: 'restore', names: ['A', 'R'], revision: 4, facts: { restoredRevision: 1 } },
    { ...owned, ...to, stageSlug: 'prod', action: 'reveal', ...one, revision: 4 },
    { ...person, action: 'token.create', facts: { tokenId: id, name: 'ci' } },
    {
      ...person,
      action: 'variable.create',
      actor: id,
      how: 'service',
      client: 'service token ci',
      names: ['B'],
      revision: 5,
    },
    { actor: user.userId, action: 'token.revoke', facts: { tokenId: id, name: 'ci' } },
    { ...owned, action: 'device.approve' },
    { ...session, action: 'device.exchange' },
    { actor: user.userId, action: 'logout', facts: { sessionId: expect.stringMatching(/^ses_/) } },
  ])
  expect(JSON.stringify(entries)).not.toContain(refreshToken)
})

test('the log records management calls and omits refused ones', async () => {
  const tenant = await newOwner(testEnv)
  const { at, token, user } = tenant
  const { orgSlug, projectSlug, stageSlug } = at
  const as = { token }
  const place = { projectSlug, stageSlug }
  for (let time = 0; time < 2; time++) {
    await testEnv.client.call('projectCreate', { orgSlug, projectSlug }, as)
    await testEnv.client.call('stageCreate', at, as)
    await testEnv.client.call('projectUpdate', { orgSlug, projectSlug: 'none', archived: true }, as)
  }
  await testEnv.client.must('projectUpdate', { orgSlug, projectSlug, name: 'Shop' }, as)
  await testEnv.client.must('stageUpdate', { ...at, archived: true }, as)
  await testEnv.client.must('organizationUpdate', { orgSlug, createsOnWrite: false }, as)
  await testEnv.client.login(user)
  const { sessions } = await testEnv.client.must('sessionList', { orgSlug }, as)
  const { id } = sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
  await testEnv.client.must('sessionRevoke', { orgSlug, id }, as)
  await testEnv.client.call('sessionRevoke', { orgSlug, id }, as)
  const logins = ['organization.create', 'device.approve', 'device.exchange']
  const entries = (await entriesOf(tenant)).filter(({ action }) => !logins.includes(action)).toReversed()
  expect(entries).toMatchObject([
    { action: 'project.create', projectSlug, actor: user.userId },
    { action: 'stage.create', ...place, revision: 1 },
    { action: 'project.update', projectSlug, facts: { after: { name: 'Shop' } } },
    { action: 'stage.update', ...place, facts: { after: { isArchived: true } } },
    { action: 'organization.update', facts: { after: { createsOnWrite: false } } },
    { action: 'session.revoke', facts: { sessionId: id } },
  ])
})

test('the log has one entry for each effect of a write on variables, and finds it by action', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('KEPT', '1'), secret('GONE', '1'), secret('ALSO_GONE', '1')])
  const { revision } = await write(testEnv, tenant, [secret('NEW', '1'), secret('KEPT', '2')], {
    deletes: ['GONE', 'ALSO_GONE'],
  })
  const of = async (filter: object) => (await entriesOf(tenant, filter)).filter((entry) => entry.revision === revision)
  expect((await of({})).toReversed()).toMatchObject([
    { action: 'variable.create', names: ['NEW'], nameCount: 1 },
    { action: 'variable.update', names: ['KEPT'], nameCount: 1 },
    { action: 'variable.delete', names: ['ALSO_GONE', 'GONE'], nameCount: 2 },
  ])
  expect(await of({ action: 'variable.delete' })).toMatchObject([{ names: ['ALSO_GONE', 'GONE'] }])
  expect(await of({ name: 'GONE' })).toMatchObject([{ action: 'variable.delete' }])
})

test('the log is filtered and paged, newest first', async () => {
  const tenant = await newOwner(testEnv)
  // The login may fall in the same millisecond.
  testEnv.clock.advance(1)
  const start = testEnv.clock.now()
  for (const name of ['A', 'B', 'A']) await write(testEnv, tenant, [secret(name, '1')])
  await write(testEnv, tenantAt(tenant, { stageSlug: 'test' }), [secret('A', '1')])
  const found = async (filter: object): Promise<number[]> => (await entriesOf(tenant, filter)).map(({ seq }) => seq)
  expect(await found({})).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  expect(await found({ limit: 2 })).toEqual([10, 9])
  expect(await found({ limit: 2, before: 6 })).toEqual([5, 4])
  expect(await found({ name: 'A' })).toEqual([10, 8, 6])
  expect(await found({ name: 'A', stageSlug: 'test' })).toEqual([10])
  expect(await found({ action: 'device.approve', actor: tenant.user.userId })).toEqual([2])
  expect(await found({ projectSlug: 'other' })).toEqual([])
  expect(await found({ fromMs: start, toMs: testEnv.clock.now() + 1 })).toHaveLength(7)
  expect(await found({ toMs: start })).toEqual([3, 2, 1])
})

test('the log is readable by owners and admins of the organization', async () => {
  const owner = await newOwner(testEnv)
  await write(testEnv, owner, [secret('A', '1')])
  const { token: service } = await newServiceToken(testEnv, owner)
  const member = await testEnv.client.login(newUser(owner.at.orgSlug))
  for (const token of [service as string, member.accessToken]) {
    const { status, body } = await testEnv.client.call('audit', { orgSlug: owner.at.orgSlug }, { token })
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN'])
  }
  const other = await newOwner(testEnv)
  expect(new Set((await entriesOf(other)).map(({ actor }) => actor))).toEqual(new Set([other.user.userId]))
})

test('the log has 64 entries for 64 concurrent writes to two stages, one per stage and write, without a gap', async () => {
  const tenant = await newOwner(testEnv)
  const times = Array.from({ length: 64 }, (_, i) => i)
  await Promise.all(
    times.map((i) => write(testEnv, tenantAt(tenant, { stageSlug: `s${i % 2}` }), [secret(`N${i}`, '1')])),
  )
  const seqs = (await entriesOf(tenant, { limit: 500 })).map(({ seq }) => seq)
  expect(seqs).toEqual(Array.from({ length: 70 }, (_, index) => 70 - index))
})

test('the log is closed to a user who only signed in', async () => {
  const tenant = await newTenant(testEnv)
  const { status } = await testEnv.client.call('audit', { orgSlug: tenant.at.orgSlug }, { token: tenant.token })
  expect(status).toBe(403)
})
