/** Accounts of the embedded provider: creation, lost passwords, and protection of the endpoints. */
import { request } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { startTestApp } from '../../testkit/app.ts'
import { TestClock } from '../../testkit/clock.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { isLong } from '../../testkit/long.ts'
import { goodPassword, inLink, invitation, invite, memberIdOf, Person, setUp } from '../../testkit/person.ts'
import { queryIdentity } from '../../testkit/store.ts'

const clock = new TestClock()
const app = useEmbeddedApp({}, { clock })

const profile = { name: 'Grace', password: goodPassword }

describe('without an invitation', () => {
  test('no one can create an account', async () => {
    const eve = new Person(app.url)
    expect((await eve.post('/sign-up/email', { ...profile, email: eve.email })).status).toBe(400)
    expect((await eve.signIn()).status).toBe(401)
  })

  test('anyone can if the operator allows it, and has no organization', async () => {
    const open = await startTestApp({ SIGN_UP: 'open' })
    const eve = new Person(open.url)
    await eve.must('/sign-up/email', { ...profile, email: eve.email })
    const { status } = await open.client.call('deviceComplete', { userCode: 'ABCDEFGH' }, { token: await eve.token() })
    expect(status).toBe(401)
    await eve.must('/organization/create', { name: 'Eve', slug: 'eve' })
    const session = await open.client.login(await eve.token())
    expect(await open.client.must('session', {}, { token: session.accessToken })).toMatchObject({ orgSlug: 'eve' })
  })
})

describe('an invitation', () => {
  test('shows its details, and creates an account that becomes a member', async () => {
    const grace = new Person(app.url)
    const id = await invitation(app.owner, grace.email, 'admin')
    expect(await grace.must('/links/invitation', { id })).toEqual({
      email: grace.email,
      role: 'admin',
      organizationName: 'Acme Inc.',
      inviterName: 'Ada',
      hasAccount: false,
    })
    await grace.must('/links/sign-up', { id, ...profile })
    await grace.must('/organization/accept-invitation', { invitationId: id })
    const { accessToken } = await app.client.login(await grace.token())
    expect(await app.client.must('session', {}, { token: accessToken })).toMatchObject({ orgSlug: 'acme' })
  })

  test('is used only once by many concurrent requests', async () => {
    const many = isLong ? 32 : 8
    const people = Array.from({ length: many }, () => new Person(app.url, 'many@example.com'))
    const id = await invitation(app.owner, 'many@example.com')
    const signedUp = await Promise.all(people.map((one) => one.post('/links/sign-up', { id, ...profile })))
    expect(signedUp.filter(({ status }) => status === 200)).toHaveLength(1)
    // Concurrent requests over the limit of running hashes are refused.
    expect(signedUp.filter(({ status }) => status === 409 || status === 429)).toHaveLength(many - 1)
    await Promise.all(people.map((one) => one.signIn()))
    const accepted = await Promise.all(
      people.map((one) => one.post('/organization/accept-invitation', { invitationId: id })),
    )
    expect(accepted.filter(({ status }) => status === 200)).toHaveLength(1)
    const late = await new Person(app.url).post('/links/invitation', { id })
    expect([late.status, late.body.code]).toEqual([410, 'LINK_NOT_VALID'])
  })

  test('is not accepted by its id alone, which is in the database, nor with a wrong MAC', async () => {
    const grace = new Person(app.url)
    const id = await invitation(app.owner, grace.email)
    const [bare = ''] = id.split('.')
    for (const wrong of [bare, `${bare}.`, `${bare}.${'A'.repeat(43)}`, `${id}x`, '']) {
      expect((await grace.post('/links/sign-up', { id: wrong, ...profile })).status, wrong).toBe(410)
    }
    await grace.must('/links/sign-up', { id, ...profile })
    const accepted = await grace.post('/organization/accept-invitation', { invitationId: bare })
    expect(accepted.status).toBe(410)
    expect((await grace.get('/organization/list')).body).toEqual([])
  })

  test('is for one address', async () => {
    const id = await invitation(app.owner, 'invited@example.com')
    const other = await invite(app.owner)
    const { status } = await other.post('/organization/accept-invitation', { invitationId: id })
    expect(status).toBe(403)
  })

  test('becomes invalid when it is withdrawn, replaced or two days old', async () => {
    const grace = new Person(app.url)
    const show = async (id: string): Promise<number> => (await grace.post('/links/invitation', { id })).status
    const withdrawn = await invitation(app.owner, 'withdrawn@example.com')
    expect(await show(withdrawn)).toBe(200)
    await app.owner.must('/organization/cancel-invitation', { invitationId: withdrawn.split('.')[0] })
    expect(await show(withdrawn)).toBe(410)
    const replaced = await invitation(app.owner, grace.email)
    const newer = await invitation(app.owner, grace.email)
    expect([await show(replaced), await show(newer)]).toEqual([410, 200])
    const now = new Date().toISOString()
    await queryIdentity(app.dataDir, `update invitation set "expiresAt" = $1 where email = '${grace.email}'`, now)
    expect(await show(newer)).toBe(410)
    expect((await grace.post('/links/sign-up', { id: newer, ...profile })).status).toBe(410)
  })

  test('gets a link only from owners and admins', async () => {
    const admin = await invite(app.owner, 'admin')
    const member = await invite(app.owner)
    const input = { email: 'new@example.com', role: 'member' }
    expect((await member.post('/organization/invite-member', input)).status).toBe(403)
    const { id: invitationId } = await admin.must('/organization/invite-member', input)
    expect((await member.post('/links/invite', { invitationId })).status).toBe(403)
    expect((await new Person(app.url).post('/links/invite', { invitationId })).status).toBe(401)
    expect((await admin.post('/links/invite', { invitationId })).status).toBe(200)
    const owned = await app.owner.must('/organization/invite-member', { email: 'owner@example.com', role: 'owner' })
    expect((await admin.post('/links/invite', { invitationId: owned.id })).status).toBe(403)
  })
})

describe('a link for a new password', () => {
  test('works once, and revokes all sessions', async () => {
    const grace = await invite(app.owner)
    const { url } = await app.owner.must('/links/reset', { memberId: await memberIdOf(app.owner, grace) })
    expect(url).toContain('/reset#token=')
    const reset = { token: inLink(url as string, 'token'), newPassword: 'another good password' }
    const once = await Promise.all(Array.from({ length: 16 }, () => new Person(app.url).post('/reset-password', reset)))
    expect(once.filter(({ status }) => status === 200)).toHaveLength(1)
    await expect(grace.token()).rejects.toThrow('401')
    expect((await grace.signIn()).status).toBe(401)
    expect((await grace.signIn('another good password')).status).toBe(200)
  })

  test('is made by people with at least the same role in every organization of the user', async () => {
    const admin = await invite(app.owner, 'admin')
    const grace = await invite(app.owner)
    const ask = async (by: Person, whom: Person): Promise<number> =>
      (await by.post('/links/reset', { memberId: await memberIdOf(app.owner, whom) })).status
    expect(await ask(admin, grace)).toBe(200)
    expect(await ask(admin, app.owner)).toBe(403)
    expect(await ask(grace, admin)).toBe(403)
    expect(await ask(app.owner, app.owner)).toBe(403)
    expect(await ask(new Person(app.url), grace)).toBe(401)
    await grace.must('/organization/create', { name: 'Grace', slug: `grace-${crypto.randomUUID()}` })
    expect(await ask(admin, grace)).toBe(403)
    expect(await ask(app.owner, grace)).toBe(403)
  })
})

describe('the identity provider', () => {
  afterEach(() => clock.run())

  test('allows three wrong passwords in ten seconds from one address', async () => {
    clock.freezeAt(clock.now())
    const statuses: number[] = []
    const eve = new Person(app.url)
    for (let i = 0; i < 5; i++) statuses.push((await eve.signIn('wrong password')).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    expect((await eve.signIn()).headers.get('retry-after')).toMatch(/^\d+$/)
  })

  test('trusts X-Forwarded-For only from trusted proxies', async () => {
    clock.freezeAt(clock.now())
    const bare = await startTestApp({ TRUSTED_PROXIES: '192.0.2.1' }, { clock })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await new Person(bare.url, 'a@example.com').signIn()).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })

  test('drops the internal address header if a client sends it', async () => {
    clock.freezeAt(clock.now())
    const eve = new Person(app.url)
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const headers = { 'x-rollkey-client-address': `203.0.113.${i}` }
      const answer = await eve.post('/sign-in/email', { email: eve.email, password: 'wrong password' }, headers)
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([401, 401, 401, 429])
  })

  test('refuses requests from pages of other origins', async () => {
    const grace = await invite(app.owner)
    const headers = { origin: 'https://evil.example' }
    expect((await grace.post('/update-user', { name: 'Eve' }, headers)).status).toBe(403)
    expect((await grace.post('/update-user', { name: 'Hopper' })).status).toBe(200)
  })

  test('serves only those endpoints of the library that the product uses', async () => {
    for (const path of ['/ok', '/error', '/request-password-reset', '/delete-user', '/organization/delete']) {
      expect((await app.owner.post(path)).status, path).toBe(404)
    }
    expect((await app.owner.get('/organization/list-user-invitations')).status).toBe(404)
    expect((await app.owner.get('/sign-in/email/')).status).toBe(404)
    expect((await app.owner.get('//sign-in/email')).status).toBe(404)
  })

  test('refuses a body of more than 64 KiB', async () => {
    const { status, body } = await app.owner.post('/update-user', { name: 'x'.repeat(70_000) })
    expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('hides cookies from scripts and other sites', async () => {
    const answer = await app.owner.signIn()
    const [cookie = ''] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/^rollkey\.session_token=[^;]+;/)
    expect(cookie).toMatch(/; HttpOnly/i)
    expect(cookie).toMatch(/; SameSite=Lax/i)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('sets secure cookies if the public URL is https', async () => {
    const secure = await startTestApp({ PUBLIC_URL: 'https://rollkey.example.com' })
    const body = JSON.stringify({
      token: inLink(secure.setupLink, 'token'),
      ...profile,
      email: 'ada@example.com',
      organizationName: 'Acme',
      organizationSlug: 'acme',
    })
    const cookies = await new Promise<string>((resolve) => {
      const headers = { 'content-type': 'application/json', origin: 'https://rollkey.example.com' }
      request(`${secure.url}/identity/links/setup`, { method: 'POST', headers }, (response) =>
        resolve(String(response.headers['set-cookie'])),
      ).end(body)
    })
    expect(cookies).toMatch(/^__Secure-rollkey\.session_token=.*; Secure/)
  })

  test('sets a cookie that is not a credential of the API', async () => {
    const { headers } = await app.owner.signIn()
    const cookie = headers.getSetCookie().map((line) => line.split(';')[0]).join('; ') // prettier-ignore
    const at = { orgSlug: 'acme', projectSlug: 'p', stageSlug: 's' }
    expect((await app.client.call('list', at, { headers: { cookie } })).status).toBe(401)
  })
})

test('signing out ends the session', async () => {
  const grace = await invite(app.owner)
  await grace.must('/sign-out')
  await expect(grace.token()).rejects.toThrow('401')
})

test('accounts, organizations and sessions survive a restart', async () => {
  const first = await startTestApp()
  const ada = await setUp(first)
  const token = await ada.token()
  await first.stop()
  const publicUrl = first.url.replace('127.0.0.1', 'localhost')
  const second = await startTestApp({ PUBLIC_URL: publicUrl }, { dataDir: first.dataDir })
  ada.url = second.url
  const at = { orgSlug: 'acme', projectSlug: 'p', stageSlug: 's' }
  expect((await second.client.call('list', at, { token })).status).toBe(200)
  expect((await second.client.call('list', at, { token: await ada.token() })).status).toBe(200)
  expect(second.setupLink).toBeUndefined()
})
