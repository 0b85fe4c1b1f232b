/** Signing in at providers in the documented shape of Google and Microsoft Entra, under their real addresses. */
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../testkit/client.ts'
import { begin, signInAt, useCompany } from '../../testkit/company.ts'
import { launchEmbeddedApp } from '../../testkit/embedded.ts'
import { maxMembers } from '../../src/identity/rules.ts'
import { useFixture } from '../../testkit/fixture.ts'
import { freePort } from '../../testkit/free-port.ts'
import { goodPassword, invite, membersOf, Person, remove } from '../../testkit/person.ts'
import { queryIdentity } from '../../testkit/store.ts'

const google = useCompany({ at: 'https://accounts.google.com' })
const entra = useCompany({
  at: 'https://login.microsoftonline.com/organizations/v2.0',
  issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
})
const tenant = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'
const otherTenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'

const settings = {
  SIGN_IN: 'google,microsoft',
  SIGN_IN_GOOGLE_CLIENT_ID: 'rollkey',
  SIGN_IN_GOOGLE_CLIENT_SECRET: 'secret',
  SIGN_IN_GOOGLE_JOIN: 'acme:member',
  SIGN_IN_GOOGLE_DOMAINS: 'acme.example',
  SIGN_IN_MICROSOFT_CLIENT_ID: 'rollkey',
  SIGN_IN_MICROSOFT_CLIENT_SECRET: 'secret',
  SIGN_IN_MICROSOFT_JOIN: 'acme:member',
  SIGN_IN_MICROSOFT_TENANTS: tenant,
}

const app = useFixture(() => launchEmbeddedApp(settings))

let people = 0

function place({ headers }: Answer): string | null {
  return headers.get('location')
}

async function isSignedIn(person: Person): Promise<boolean> {
  return (await person.get('/get-session')).text !== 'null'
}

async function isMember(email: string): Promise<boolean> {
  return (await membersOf(app.owner)).some(({ user }) => user.email === email)
}

async function methodIds(person: Person): Promise<string[]> {
  return ((await person.get('/company/methods')).body.companies as { id: string }[]).map(({ id }) => id)
}

describe('at Microsoft, where the issuer of the metadata is a template', () => {
  /** Returns claims of a new person as Entra sends them. */
  function claims(tid = tenant) {
    people++
    const iss = `https://login.microsoftonline.com/${tid}/v2.0`
    return { iss, tid, sub: `pairwise-${people}`, preferred_username: `person-${people}@acme.example`, ver: '2.0' }
  }

  const signIn = (person: Person, who: object, more?: object): Promise<Answer> =>
    signInAt(person, entra, 'microsoft', { ...who }, more)

  test('a person of an admitted tenant joins, and is known by the issuer of the tenant', async () => {
    const grace = claims()
    const person = new Person(app.url)
    expect(place(await signIn(person, grace))).toBe('/')
    expect(await isMember(grace.preferred_username)).toBe(true)
    const again = new Person(app.url)
    await signIn(again, { ...grace, preferred_username: 'renamed@acme.example' })
    expect(await again.id()).toBe(await person.id())
    expect((await person.get('/company/methods')).body.companies).toMatchObject([{ label: 'Microsoft' }])
  })

  test('a person of another tenant does not join', async () => {
    const person = new Person(app.url)
    expect(place(await signIn(person, claims(otherTenant)))).toContain('failure=not-admitted')
    expect(await isSignedIn(person)).toBe(false)
  })

  test.each([
    [
      'the issuer of another tenant than its own',
      { tid: tenant, iss: `https://login.microsoftonline.com/${otherTenant}/v2.0` },
    ],
    ['the template itself', { iss: 'https://login.microsoftonline.com/{tenantid}/v2.0' }],
    ['another host with the tenant', { iss: `https://login.example.com/${tenant}/v2.0` }],
    ['no tenant', { tid: undefined }],
    ['a list of tenants', { tid: [tenant] }],
    ['the template as its tenant', { tid: '{tenantid}', iss: 'https://login.microsoftonline.com/{tenantid}/v2.0' }],
  ])('a token with %s gives no access', async (_, more) => {
    const person = new Person(app.url)
    const answer = await signIn(person, { ...claims(), ...more })
    expect(place(answer)).toMatch(/failure=(refused|not-admitted)/)
    expect(await isSignedIn(person)).toBe(false)
  })

  test('the same subject in another tenant is another person', async () => {
    const grace = claims()
    await signIn(new Person(app.url), grace)
    const attacker = new Person(app.url)
    const answer = await signIn(attacker, { ...claims(otherTenant), sub: grace.sub })
    expect(place(answer)).toContain('failure=not-admitted')
  })
})

describe('at Google', () => {
  const iss = 'https://accounts.google.com'

  /** Returns claims of a new person of the company's Workspace as Google sends them. */
  function claims(more: object = { hd: 'acme.example' }) {
    people++
    return { iss, sub: `1${people}`, email: `person-${people}@acme.example`, email_verified: true, ...more }
  }

  const signIn = (person: Person, who: object, more?: object): Promise<Answer> =>
    signInAt(person, google, 'google', { ...who }, more)

  test('a person of the Workspace joins, and one with a private account of the same domain does not', async () => {
    const grace = claims()
    await signIn(new Person(app.url), grace)
    expect(await isMember(grace.email)).toBe(true)
    const stranger = new Person(app.url)
    expect(place(await signIn(stranger, claims({})))).toContain('failure=not-admitted')
    expect(place(await signIn(stranger, claims({ hd: 'other.example' })))).toContain('failure=not-admitted')
  })

  test('a confirmation asks only for what Google supports', async () => {
    const person = new Person(app.url)
    await signIn(person, claims())
    const query = new URL(await begin(person, 'google', { purpose: 'confirm' })).searchParams
    expect([query.get('prompt'), query.has('max_age')]).toEqual(['select_account', false])
    expect(JSON.parse(query.get('claims') ?? '')).toEqual({ id_token: { auth_time: { essential: true } } })
  })

  test('a person with nothing else may add a first passkey after coming back again, and confirm nothing else', async () => {
    const grace = claims()
    const person = new Person(app.url)
    await signIn(person, grace)
    const options = () => person.get('/passkey/generate-register-options')
    expect((await options()).body.code).toBe('CONFIRMATION_REQUIRED')
    const answer = await signIn(person, grace, { purpose: 'confirm', next: '/o/acme/p/shop/settings' })
    expect(place(answer)).toBe('/o/acme/account#note=first-passkey&method=google')
    expect((await options()).status).toBe(200)
    const [id = ''] = await methodIds(person)
    expect((await person.post('/company/remove', { id })).body.code).toBe('CONFIRMATION_REQUIRED')
    expect((await person.post('/company/sign-in', { provider: 'google', purpose: 'add' })).body.code).toBe(
      'CONFIRMATION_REQUIRED',
    )
    const passkey = `insert into passkey
      (id, name, "publicKey", "userId", "credentialID", counter, "deviceType", "backedUp", "createdAt")
      values ($1, $1, 'key', $2, $1, 0, 'singleDevice', false, $3)`
    await queryIdentity(app.dataDir, passkey, crypto.randomUUID(), await person.id(), new Date().toISOString())
    expect((await options()).body.code).toBe('CONFIRMATION_REQUIRED')
    const later = await signIn(person, grace, { purpose: 'confirm', next: '/o/acme' })
    expect(place(later)).toBe('/o/acme/account#failure=not-asked&method=google')
  })

  test('the time to add a first passkey ends after 15 minutes', async () => {
    const grace = claims()
    const person = new Person(app.url)
    await signIn(person, grace)
    await signIn(person, grace, { purpose: 'confirm' })
    const ended = new Date(Date.now() - 1_000).toISOString()
    await queryIdentity(
      app.dataDir,
      'update session set "firstPasskeyUntil" = $1 where "userId" = $2',
      ended,
      await person.id(),
    )
    expect((await person.get('/passkey/generate-register-options')).body.code).toBe('CONFIRMATION_REQUIRED')
  })

  test('where passkeys do not work, it confirms nothing', async () => {
    const port = String(await freePort())
    const more = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` }
    const other = await launchEmbeddedApp({ ...settings, ...more })
    try {
      const grace = claims()
      const person = new Person(other.url)
      await signIn(person, grace)
      expect(place(await signIn(person, grace, { purpose: 'confirm' }))).toBe(
        '/account#failure=not-asked&method=google',
      )
    } finally {
      await other.close()
    }
  })

  test('a person with a password confirms with that', async () => {
    const grace = await invite(app.owner)
    const who = claims()
    await signIn(grace, who, { purpose: 'add' })
    const answer = await signIn(grace, who, { purpose: 'confirm' })
    expect(place(answer)).toBe('/account#failure=not-asked&method=google')
    await grace.signIn(goodPassword)
    await grace.must('/company/remove', { id: (await methodIds(grace))[0] })
  })

  test('confirms where Google says that it asked just now', async () => {
    const grace = claims()
    const person = new Person(app.url)
    await signIn(person, grace)
    const nowSec = Math.floor(Date.now() / 1_000)
    const answer = await signIn(person, { ...grace, auth_time: nowSec }, { purpose: 'confirm' })
    expect(place(answer)).toBe('/')
    const [id = ''] = await methodIds(person)
    expect((await person.post('/company/remove', { id })).body.code).toBe('LAST_SIGN_IN_METHOD')
  })

  test('someone who was removed signs in, does not join again, and reads why', async () => {
    const grace = claims()
    const person = new Person(app.url, grace.email)
    await signIn(person, grace)
    await remove(app.owner, person)
    for (const next of ['/', '/o/acme', '/o/acme/members'])
      expect(place(await signIn(person, grace, { next }))).toBe('/organizations#note=left&method=google')
    expect(await isSignedIn(person)).toBe(true)
    expect(await isMember(grace.email)).toBe(false)
    await person.must('/organization/create', { name: 'Other', slug: `other-${people}` })
    expect(place(await signIn(person, grace, { next: `/o/other-${people}` }))).toBe(`/o/other-${people}`)
    expect(place(await signIn(person, grace, { next: '/o/acme' }))).toBe('/organizations#note=left&method=google')
  })

  test('someone who finds the organization full signs in, and reads it', async () => {
    const { id: organizationId } = (
      (await app.owner.get('/organization/list')).body as unknown as { id: string }[]
    )[0] ?? { id: '' }
    const fill = `insert into member (id, "organizationId", "userId", role, "createdAt")
      with recursive n (i) as (select 1 union all select i + 1 from n where i < $1)
      select 'full-' || i, $2, $3, 'member', '2026-01-01T00:00:00.000Z' from n`
    await queryIdentity(app.dataDir, fill, maxMembers, organizationId, await app.owner.id())
    try {
      const person = new Person(app.url)
      expect(place(await signIn(person, claims()))).toBe('/organizations#note=full&method=google')
      expect(await isSignedIn(person)).toBe(true)
    } finally {
      await queryIdentity(app.dataDir, `delete from member where id like 'full-%'`)
    }
  })
})
