/** The operator changes the email of an account: it stays the same account, on every node at once. */
import { describe, expect, test } from 'vitest'
import { auditEntries } from '../../testkit/audit.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { goodPassword, inLink, invite, membersOf, Person } from '../../testkit/person.ts'
import { runMain } from '../../testkit/process.ts'

const app = useEmbeddedApp()

function setEmail(old: string, email: string) {
  return runMain({ DATA_DIR: app.dataDir }, ['set-email', old, email])
}

describe('a person whose email the operator changes', () => {
  test('signs in with the new one alone, and stays signed in as the same account', async () => {
    const grace = await invite(app.owner)
    const id = await grace.id()
    const session = await app.client.login(await grace.token())
    const email = `new-${grace.email}`
    const { stdout } = await setEmail(grace.email.toUpperCase(), email.toUpperCase())
    expect(JSON.parse(stdout)).toEqual({ email })
    expect((await new Person(app.url, grace.email).signIn()).status).toBe(401)
    const again = new Person(app.url, email)
    expect((await again.signIn()).status).toBe(200)
    expect([await again.id(), await grace.id()]).toEqual([id, id])
    expect((await grace.get('/get-session')).body.user).toMatchObject({ email })
    expect((await membersOf(app.owner)).map(({ user }) => user.email)).toContain(email)
    const who = await app.client.must('whoami', {}, { token: session.accessToken })
    expect(who).toMatchObject({ idpUserId: id })
    const entries = await auditEntries(app.client, 'acme', await app.owner.token())
    expect(entries.filter(({ action }) => action === 'email.change')).toMatchObject([
      {
        how: 'operator',
        actor: 'operator',
        facts: { userId: id, before: { email: grace.email }, after: { email } },
      },
    ])
  })

  test('gets what was granted to the new one, and a link that the old one may have ends', async () => {
    const grace = await invite(app.owner)
    const email = `new-${grace.email}`
    const token = await app.owner.token('acme')
    const principal = { kind: 'email', id: email } as const
    const grant = { principal, role: 'reader', orgSlug: 'acme' }
    await app.client.must('accessGrant', grant, { token })
    const member = (await membersOf(app.owner)).find(({ user }) => user.email === grace.email)
    const { url } = (await app.owner.must('/links/reset', { memberId: member?.id })) as { url: string }
    await setEmail(grace.email, email)
    const { grants } = await app.client.must('accessList', { orgSlug: 'acme' }, { token })
    expect(grants).toMatchObject([{ principal: { kind: 'user', id: await grace.id() }, role: 'reader' }])
    const reset = { token: inLink(url, 'token'), newPassword: goodPassword }
    expect((await grace.post('/reset-password', reset)).status).toBe(410)
  })

  test('keeps the old one where the new one is not valid or has an account', async () => {
    const grace = await invite(app.owner)
    for (const [[old, next], status, message] of [
      [[grace.email, 'grace'], 2, 'USAGE: Invalid NEW (expected an address such as ada@example.com)'],
      [['eve', 'eve@example.com'], 2, 'USAGE: Invalid OLD (expected an address such as ada@example.com)'],
      [['no-one@example.com', 'eve@example.com'], 5, 'NOT_FOUND: No account has the email address OLD'],
      [[grace.email, app.owner.email.toUpperCase()], 6, 'CONFLICT: An account has the email address NEW already'],
    ] as const) {
      const { code, stderr } = await setEmail(old, next)
      expect([code, stderr]).toEqual([status, expect.stringContaining(message)])
    }
    expect((await grace.signIn()).status).toBe(200)
    const entries = await auditEntries(app.client, 'acme', await app.owner.token())
    expect(JSON.stringify(entries)).not.toContain(`{"email":"${app.owner.email}"}`)
  })
})
