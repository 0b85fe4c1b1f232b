/** What a new password ends: whoever had the account before is out of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testkit/app.ts'
import { auditEntries } from '../../testkit/audit.ts'
import { TestClock } from '../../testkit/clock.ts'
import { goodPassword, invite, Person, resetToken, setUp } from '../../testkit/person.ts'
import { queryIdentity } from '../../testkit/store.ts'

let app: TestApp
let owner: Person

beforeAll(async () => {
  app = await startTestApp(undefined, new TestClock())
  owner = await setUp(app)
})
afterAll(() => app.close())

const newPassword = 'another good password'
const at = { orgSlug: 'acme', projectSlug: 'p', stageSlug: 's' }

/** A passkey that nobody can use, made in the store. */
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
  test('shows the passkeys and the number of command-line sessions, as often as it is asked', async () => {
    const grace = await invite(app.url, owner)
    await addPasskey(grace, 'Laptop')
    await app.client.login(await grace.token())
    const token = await resetToken(owner, grace)
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

  test('ends browser sessions, passkeys and command-line sessions, if nothing else is asked for', async () => {
    const [grace, other] = [await invite(app.url, owner), await invite(app.url, owner)]
    for (const name of ['Laptop', 'Stolen']) await addPasskey(grace, name)
    await addPasskey(other, 'Theirs')
    const session = await app.client.login(await grace.token())
    const theirs = await app.client.login(await other.token())
    const { deviceCode, userCode } = await app.client.must('deviceStart', {})
    await app.client.must('deviceComplete', { userCode }, { token: await grace.token() })
    const thief = new Person(app.url, grace.email)
    thief.takeCookies(grace)
    await new Person(app.url).must('/reset-password', { token: await resetToken(owner, grace), newPassword })
    expect((await thief.get('/list-sessions')).status).toBe(401)
    expect([await list(session.accessToken), await list(theirs.accessToken)]).toEqual([401, 200])
    expect((await app.client.refresh(session.refreshToken)).status).toBe(401)
    expect((await app.client.call('devicePoll', { deviceCode })).body.error.code).toBe('DEVICE_CODE_EXPIRED')
    await grace.signIn(newPassword)
    expect([await passkeysOf(grace), await passkeysOf(other)]).toEqual([[], ['Theirs']])
    const entries = await auditEntries(app.client, 'acme', await owner.token(), { user: await grace.id() })
    const actions = entries.map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['password.reset', 'passkey.remove', 'session.revoke']))
  })

  test('keeps what the person keeps, and nothing of anybody else', async () => {
    const [grace, other] = [await invite(app.url, owner), await invite(app.url, owner)]
    const kept = await addPasskey(grace, 'Laptop')
    await addPasskey(grace, 'Lost')
    const session = await app.client.login(await grace.token())
    const keepPasskeys = [kept, await addPasskey(other, 'Theirs'), 'none']
    const asked = { token: await resetToken(owner, grace), newPassword, keepPasskeys, endClientSessions: false }
    await new Person(app.url).must('/reset-password', asked)
    await grace.signIn(newPassword)
    expect(await passkeysOf(grace)).toEqual(['Laptop'])
    expect(await list(session.accessToken)).toBe(200)
  })

  test('that is refused ends nothing', async () => {
    const grace = await invite(app.url, owner)
    await addPasskey(grace, 'Laptop')
    const token = await resetToken(owner, grace)
    for (const asked of [{ newPassword: 'short' }, { newPassword, keepPasskeys: 'all' }, { newPassword, token: 'x' }]) {
      expect((await new Person(app.url).post('/reset-password', { token, ...asked })).status).toBeGreaterThanOrEqual(
        400,
      )
    }
    expect(await passkeysOf(grace)).toEqual(['Laptop'])
  })
})

test('a changed password ends the other browser sessions, whatever the client asks for', async () => {
  for (const asked of [{}, { revokeOtherSessions: false }]) {
    const grace = await invite(app.url, owner)
    const other = new Person(app.url, grace.email)
    await other.signIn()
    await grace.must('/change-password', { currentPassword: goodPassword, newPassword, ...asked })
    expect([(await other.get('/list-sessions')).status, (await grace.get('/list-sessions')).status]).toEqual([401, 200])
  }
})
