/** Fresh confirmations: a stolen cookie of an older sign-in cannot add a passkey. */
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { invite, Person } from '../../testkit/person.ts'
import { queryIdentity } from '../../testkit/store.ts'

const app = useEmbeddedApp()

const minuteMs = 60_000

interface Current {
  readonly session: { readonly id: string; readonly activeOrganizationId: string; readonly createdAt: string }
}

async function current(person: Person): Promise<Current['session']> {
  return ((await person.get('/get-session')).body as unknown as Current).session
}

/** Moves the creation time of the person's session back. */
async function age(person: Person, ms: number): Promise<void> {
  const { id } = await current(person)
  const at = new Date(Date.now() - ms).toISOString()
  await queryIdentity(app.dataDir, `update session set "createdAt" = $1 where id = $2`, at, id)
}

function register(person: Person): ReturnType<Person['get']> {
  return person.get('/passkey/generate-register-options')
}

describe('a passkey', () => {
  test('is added in the first 15 minutes of a session, and later after another sign-in', async () => {
    const grace = await invite(app.owner)
    expect((await register(grace)).status).toBe(200)
    await age(grace, 14 * minuteMs)
    expect((await register(grace)).status).toBe(200)
    await age(grace, 15 * minuteMs)
    const refused = await register(grace)
    expect([refused.status, refused.body.code]).toEqual([403, 'CONFIRMATION_REQUIRED'])
    const finished = await grace.post('/passkey/verify-registration', { response: {}, name: 'Stolen' })
    expect([finished.status, finished.body.code]).toEqual([403, 'CONFIRMATION_REQUIRED'])
    expect((await grace.signIn('wrong password')).status).toBe(401)
    expect((await register(grace)).status).toBe(403)
    expect((await grace.signIn()).status).toBe(200)
    expect((await register(grace)).status).toBe(200)
  })

  test('is not deleted later than that', async () => {
    const grace = await invite(app.owner)
    const { id: sessionId } = await current(grace)
    const passkey = `insert into passkey
      (id, name, "publicKey", "userId", "credentialID", counter, "deviceType", "backedUp", "createdAt")
      values ($1, $1, 'key', $2, $1, 0, 'singleDevice', false, $3)`
    await queryIdentity(app.dataDir, passkey, sessionId, await grace.id(), new Date().toISOString())
    await age(grace, 15 * minuteMs)
    const refused = await grace.post('/passkey/delete-passkey', { id: sessionId })
    expect([refused.status, refused.body.code]).toEqual([403, 'CONFIRMATION_REQUIRED'])
    await grace.signIn()
    await grace.must('/passkey/delete-passkey', { id: sessionId })
  })

  test('is not added without a session', async () => {
    expect((await register(new Person(app.url))).status).toBe(401)
  })
})

describe('a sign-in of a person who is signed in', () => {
  test('replaces the session, so that a copy of the old cookie is worthless', async () => {
    const grace = await invite(app.owner)
    const thief = new Person(app.url, grace.email)
    thief.takeCookies(grace)
    await age(grace, 20 * minuteMs)
    expect((await grace.signIn()).status).toBe(200)
    expect((await register(grace)).status).toBe(200)
    expect((await register(thief)).status).toBe(401)
    const { body } = await grace.get('/list-sessions')
    expect(body).toHaveLength(1)
  })

  test('keeps the active organization', async () => {
    const grace = await invite(app.owner)
    const { activeOrganizationId: first } = await current(grace)
    const { id } = await grace.must('/organization/create', { name: 'Grace', slug: `grace-${crypto.randomUUID()}` })
    await grace.signIn()
    expect([(await current(grace)).activeOrganizationId, first === id]).toEqual([id, false])
  })

  test('keeps the sessions of other people and other browsers', async () => {
    const grace = await invite(app.owner)
    const other = new Person(app.url, grace.email)
    await other.signIn()
    const shared = new Person(app.url, grace.email)
    const ada = await invite(app.owner)
    shared.takeCookies(ada)
    await shared.signIn()
    expect((await current(ada)).id).not.toBe((await current(shared)).id)
    await grace.signIn()
    expect((await register(other)).status).toBe(200)
  })
})

test('a token contains the time of the sign-in', async () => {
  const grace = await invite(app.owner)
  await age(grace, 20 * minuteMs)
  const signedInAt = async (): Promise<number> => Math.floor(Date.parse((await current(grace)).createdAt) / 1_000)
  const before = await signedInAt()
  expect(decodeJwt(await grace.token())['auth_time']).toBe(before)
  await grace.signIn()
  const after = await signedInAt()
  expect(after).toBeGreaterThan(before)
  expect(decodeJwt(await grace.token())['auth_time']).toBe(after)
})

test('sessions of any age are listed', async () => {
  const grace = await invite(app.owner)
  await age(grace, 3 * 24 * 60 * minuteMs)
  expect((await grace.get('/list-sessions')).status).toBe(200)
})
