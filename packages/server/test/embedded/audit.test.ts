/** The audit log of each organization concerned records what people do at the embedded provider. */
import { beforeAll, describe, expect, test, onTestFinished } from 'vitest'
import { openInstallation } from '../../src/compose/installation.ts'
import { createLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config.ts'
import { startTestApp, type TestApp } from '../../testkit/app.ts'
import { auditEntries } from '../../testkit/audit.ts'
import { onStore } from '../../testkit/operator.ts'
import { launchEmbeddedApp, useEmbeddedApp } from '../../testkit/embedded.ts'
import { goodPassword, inLink, invitation, invite, memberIdOf, Person, setUp } from '../../testkit/person.ts'
import { query, queryIdentity, storeSettings } from '../../testkit/store.ts'

const app = useEmbeddedApp()
let ownerId: string

beforeAll(async () => {
  ownerId = await app.owner.id()
})

/** Returns the entries that `work` adds to the log, as `actor action` with the values of the facts. */
async function notedBy(work: () => Promise<unknown>, slug = 'acme', reader = app.owner): Promise<string[]> {
  const seqs = async () => auditEntries(app.client, slug, await reader.token())
  const before = (await seqs()).length
  await work()
  const added = (await seqs()).slice(before)
  // Failed sign-ins are recorded when their minute is over.
  return added
    .filter(({ action }) => action !== 'sign-in.failed')
    .map(({ how, actor, action, facts = {} }) => {
      const who = how === 'operator' ? how : actor
      return [who, action, ...Object.values(facts).map(String)].join(' ')
    })
}

/** Runs work while the audit log cannot be written. */
async function withoutLog(work: () => Promise<void>, of: TestApp): Promise<void> {
  await query(of.dataDir, 'alter table audit rename to audit_away')
  try {
    await work()
  } finally {
    await query(of.dataDir, 'alter table audit_away rename to audit')
  }
}

test('the setup link records that the operator gave the organization to its owner', async () => {
  const entries = await auditEntries(app.client, 'acme', await app.owner.token())
  expect(entries.slice(0, 3)).toMatchObject([
    { seq: 1, how: 'operator', action: 'organization.create' },
    { how: 'operator', action: 'member.add', facts: { userId: ownerId, role: 'owner' } },
    { how: 'provider', client: 'dashboard', actor: ownerId, action: 'sign-in', facts: { method: 'set-up link' } },
  ])
})

describe('members', () => {
  test('join by invitation, change roles and leave, each with the actor', async () => {
    let grace = new Person(app.url)
    const sendInvitation = () =>
      app.owner.must('/organization/invite-member', { email: 'eve@example.com', role: 'member' })
    expect(
      await notedBy(async () => {
        grace = await invite(app.owner, 'admin')
        await app.owner.must('/organization/cancel-invitation', { invitationId: (await sendInvitation()).id })
      }),
    ).toEqual([
      `${ownerId} invitation.create ${grace.email} admin`,
      // The link creates the account before it is a member of any organization.
      `${await grace.id()} invitation.accept ${grace.email} admin`,
      `${await grace.id()} member.add ${await grace.id()} admin`,
      `${ownerId} invitation.create eve@example.com member`,
      `${ownerId} invitation.cancel eve@example.com member`,
    ])
    const graceId = await grace.id()
    expect(
      await notedBy(async () => {
        await app.owner.must('/organization/update-member-role', {
          memberId: await memberIdOf(app.owner, grace),
          role: 'member',
        })
        await grace.post('/organization/remove-member', { memberIdOrEmail: app.owner.email })
        await app.owner.must('/organization/remove-member', { memberIdOrEmail: grace.email })
      }),
    ).toEqual([`${ownerId} member.role ${graceId} member`, `${ownerId} member.remove ${graceId}`])
  })

  test('leave, and decline', async () => {
    const grace = await invite(app.owner)
    const graceId = await grace.id()
    expect(
      await notedBy(async () => {
        const { body } = await grace.get('/organization/list')
        await grace.must('/organization/leave', { organizationId: body[0].id })
        const id = await invitation(app.owner, grace.email)
        await grace.must('/organization/reject-invitation', { invitationId: id })
      }),
    ).toEqual([
      `${graceId} member.remove ${graceId}`,
      `${ownerId} invitation.create ${grace.email} member`,
      `${graceId} invitation.reject ${grace.email} member`,
    ])
  })

  test('create organizations', async () => {
    const grace = await invite(app.owner)
    const graceId = await grace.id()
    await grace.must('/organization/create', { name: 'Grace', slug: 'graces' })
    const entries = await auditEntries(app.client, 'graces', await grace.token())
    expect(entries).toMatchObject([
      { seq: 1, how: 'provider', actor: graceId, action: 'organization.create' },
      { actor: graceId, action: 'member.add', facts: { userId: graceId, role: 'owner' } },
    ])
    const rename = { data: { name: 'Grace & Co' } }
    await grace.must('/organization/update', rename)
    const renamed = await auditEntries(app.client, 'graces', await grace.token(), { action: 'organization.update' })
    expect(renamed).toMatchObject([{ actor: graceId, facts: { after: { name: 'Grace & Co' } } }])
  })
})

describe('a person', () => {
  test('signs in and out and changes the password, recorded in every organization of the person', async () => {
    const grace = await invite(app.owner)
    const graceId = await grace.id()
    await grace.must('/organization/create', { name: 'Both', slug: 'both' })
    const other = await invite(grace, 'owner')
    const acts = async (): Promise<void> => {
      await grace.must('/sign-out')
      await grace.signIn('not the password')
      await grace.signIn()
      const passwords = { currentPassword: goodPassword, newPassword: 'another good password' }
      await grace.must('/change-password', { ...passwords, revokeOtherSessions: true })
    }
    const expected = ['sign-out', 'sign-in password', 'password.change'].map((act) => `${graceId} ${act}`)
    let inOther: string[] = []
    const inAcme = await notedBy(async () => {
      inOther = await notedBy(acts, 'both', other)
    })
    expect([inAcme, inOther]).toEqual([expected, expected])
  })

  test('gets a new password by a link, recorded with its maker', async () => {
    const grace = await invite(app.owner)
    const graceId = await grace.id()
    let token = ''
    expect(
      await notedBy(async () => {
        const { url } = await app.owner.must('/links/reset', { memberId: await memberIdOf(app.owner, grace) })
        token = inLink(url as string, 'token')
        await grace.must('/reset-password', { token, newPassword: goodPassword })
      }),
    ).toEqual([`${ownerId} password.link ${graceId}`, `${graceId} password.reset`])
    expect(JSON.stringify(await auditEntries(app.client, 'acme', await app.owner.token()))).not.toContain(token)
  })
})

describe('while the audit log cannot be written', () => {
  test('nothing is changed, and the answer says so', async () => {
    const grace = await invite(app.owner)
    await withoutLog(async () => {
      const { status, body } = await app.owner.post('/organization/remove-member', { memberIdOrEmail: grace.email })
      expect([status, body.code]).toEqual([503, 'AUDIT_UNAVAILABLE'])
      expect(body.message).toContain('try again')
      expect((await app.owner.post('/organization/create', { name: 'Late', slug: 'late' })).status).toBe(503)
      expect((await new Person(app.url, grace.email).signIn()).status).toBe(503)
    }, app)
    expect(await memberIdOf(app.owner, grace)).toBeTruthy()
    expect(await queryIdentity(app.dataDir, "select id from organization where slug = 'late'")).toEqual([])
    expect((await new Person(app.url, grace.email).signIn()).status).toBe(200)
  })

  test('changes are made if the operator allows it, and the log of the service has a line', async () => {
    const free = await startTestApp({ AUDIT_REQUIRED: 'no' })
    const ada = await setUp(free)
    await withoutLog(async () => {
      expect((await new Person(free.url, ada.email).signIn()).status).toBe(200)
    }, free)
    const lines = free.log.filter((line) => line.includes('could not be recorded'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', name: 'sign-in' }])
  })
})

test('acts of the operator are recorded as such', async () => {
  const { owner, dataDir, url, ...first } = await launchEmbeddedApp()
  onTestFinished(() => first.close())
  const settings = { ...(await storeSettings(dataDir)), DATA_DIR: dataDir, PUBLIC_URL: url }
  const userId = await owner.id()
  const environment = Object.entries(settings).map(([name, value]) => [`ROLLKEY_${name}`, value])
  const log = createLog('silent')
  await first.stop()
  const { installation, close } = await openInstallation(readConfig(Object.fromEntries(environment)), log)
  try {
    await onStore(installation, 'reset-link', owner.email)
    await onStore(installation, 'signing-keys revoke')
  } finally {
    await close()
  }
  const again = await first.restart()
  onTestFinished(() => again.close())
  owner.url = again.url
  const entries = await auditEntries(again.client, 'acme', await owner.token())
  expect(entries.slice(-2)).toMatchObject([
    { how: 'operator', actor: 'operator', action: 'password.link', facts: { userId } },
    { how: 'operator', actor: 'operator', action: 'signing-keys.revoke' },
  ])
})
