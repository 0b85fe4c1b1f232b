/** A new password removes the access of anyone who had the account before. */
import { describe, expect, test } from 'vitest'
import { auditEntries } from '../../testkit/audit.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { goodPassword, invitation, invite, Person, resetToken } from '../../testkit/person.ts'
import { queryIdentity } from '../../testkit/store.ts'

const app = useEmbeddedApp()

const newPassword = 'another good password'
const at = { orgSlug: 'acme', projectSlug: 'p', stageSlug: 's' }

/** Inserts a passkey that no one can use. */
async function addPasskey(person: Person, name: string): Promise<string> {
  const id = `passkey-${crypto.randomUUID()}`
  await queryIdentity(
    app.dataDir,
    `insert into passkey (id, name, "publicKey", "userId", "credentialID", counter, "deviceType", "backedUp")
     values ($1, $2, 'key', $3, $1, 0, 'singleDevice', false)`,
    id,
    name,
    await person.id(),
  )
  return id
}

async function passkeysOf(person: Person): Promise<string[]> {
  return ((await person.get('/passkey/list-user-passkeys')).body as unknown as { name: string }[])
    .map(({ name }) => name)
    .toSorted((a, b) => (a < b ? -1 : 1))
}

async function list(token: string): Promise<number> {
  return (await app.client.call('list', at, { token })).status
}

describe('a link for a new password', () => {
  test('shows the passkeys and the number of command-line sessions, any number of times', async () => {
    const grace = await invite(app.owner)
    await addPasskey(grace, 'Laptop')
    await app.client.login(await grace.token())
    const token = await resetToken(app.owner, grace)
    const anyone = new Person(app.url)
    for (let i = 0; i < 2; i++) {
      expect(await anyone.must('/links/password', { token })).toMatchObject({
        email: grace.email,
        passkeys: [{ name: 'Laptop' }],
        clientSessions: 1,
      })
    }
    expect(JSON.stringify(await anyone.must('/links/password', { token }))).not.toMatch(/publicKey|credentialID/)
    expect((await anyone.post('/links/password', { token: 'guessed' })).status).toBe(410)
    await anyone.must('/reset-password', { token, newPassword })
    expect((await anyone.post('/links/password', { token })).status).toBe(410)
  })

  test('revokes browser sessions, passkeys and command-line sessions by default', async () => {
    const [grace, other] = [await invite(app.owner), await invite(app.owner)]
    for (const name of ['Laptop', 'Stolen']) await addPasskey(grace, name)
    await addPasskey(other, 'Theirs')
    const session = await app.client.login(await grace.token())
    const theirs = await app.client.login(await other.token())
    const { deviceCode, userCode } = await app.client.must('deviceStart', {})
    await app.client.must('deviceComplete', { userCode }, { token: await grace.token() })
    const thief = new Person(app.url, grace.email)
    thief.takeCookies(grace)
    await new Person(app.url).must('/reset-password', { token: await resetToken(app.owner, grace), newPassword })
    expect((await thief.get('/list-sessions')).status).toBe(401)
    expect([await list(session.accessToken), await list(theirs.accessToken)]).toEqual([401, 200])
    expect((await app.client.refresh(session.refreshToken)).status).toBe(401)
    expect((await app.client.call('devicePoll', { deviceCode })).body.error.code).toBe('DEVICE_CODE_EXPIRED')
    await grace.signIn(newPassword)
    expect([await passkeysOf(grace), await passkeysOf(other)]).toEqual([[], ['Theirs']])
    const entries = await auditEntries(app.client, 'acme', await app.owner.token(), { user: await grace.id() })
    const actions = entries.map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['password.reset', 'passkey.remove', 'session.revoke']))
  })

  test('keeps what the person chose to keep, and nothing of other people', async () => {
    const [grace, other] = [await invite(app.owner), await invite(app.owner)]
    const kept = await addPasskey(grace, 'Laptop')
    await addPasskey(grace, 'Lost')
    const session = await app.client.login(await grace.token())
    const keepPasskeys = [kept, await addPasskey(other, 'Theirs'), 'none']
    const form = { token: await resetToken(app.owner, grace), newPassword, keepPasskeys, endClientSessions: false }
    await new Person(app.url).must('/reset-password', form)
    await grace.signIn(newPassword)
    expect(await passkeysOf(grace)).toEqual(['Laptop'])
    expect(await list(session.accessToken)).toBe(200)
  })

  test('revokes nothing if it is refused', async () => {
    const grace = await invite(app.owner)
    await addPasskey(grace, 'Laptop')
    const token = await resetToken(app.owner, grace)
    for (const form of [{ newPassword: 'short' }, { newPassword, keepPasskeys: 'all' }, { newPassword, token: 'x' }]) {
      expect((await new Person(app.url).post('/reset-password', { token, ...form })).status).toBeGreaterThanOrEqual(400)
    }
    expect(await passkeysOf(grace)).toEqual(['Laptop'])
  })
})

test('a changed password revokes the other browser sessions, whether or not the client requests it', async () => {
  for (const form of [{}, { revokeOtherSessions: false }]) {
    const grace = await invite(app.owner)
    const other = new Person(app.url, grace.email)
    await other.signIn()
    await grace.must('/change-password', { currentPassword: goodPassword, newPassword, ...form })
    expect([(await other.get('/list-sessions')).status, (await grace.get('/list-sessions')).status]).toEqual([401, 200])
  }
})

describe('a common password', () => {
  const refused = { status: 400, body: { code: 'PASSWORD_TOO_COMMON' } }

  test.each(['password12', 'Password12', 'Welcome2026!', '1234567890', '!!manchester!!'])(
    '%s is refused',
    async (common) => {
      const grace = await invite(app.owner)
      const change = { currentPassword: goodPassword, newPassword: common }
      expect(await grace.post('/change-password', change)).toMatchObject(refused)
      const token = await resetToken(app.owner, grace)
      expect(await new Person(app.url).post('/reset-password', { token, newPassword: common })).toMatchObject(refused)
      // The link still works.
      await new Person(app.url).must('/reset-password', { token, newPassword })
    },
  )

  test('is refused for a new account, which its invitation can still create', async () => {
    const email = 'common@example.com'
    const id = await invitation(app.owner, email)
    const signUp = { id, name: 'Grace', password: 'password12' }
    expect(await new Person(app.url, email).post('/links/sign-up', signUp)).toMatchObject(refused)
    await new Person(app.url, email).must('/links/sign-up', { ...signUp, password: goodPassword })
  })

  test('may be a part of a longer one', async () => {
    const grace = await invite(app.owner)
    const change = { currentPassword: goodPassword, newPassword: 'monkey-48151-62342' }
    expect((await grace.post('/change-password', change)).status).toBe(200)
  })
})
