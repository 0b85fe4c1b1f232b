/** Signing in at companies' providers: who joins, which account it is, and what an attacker tries. */
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import { TestClock } from '../../testkit/clock.ts'
import { begin, comeBack, signInAt, useCompany } from '../../testkit/company.ts'
import { launchEmbeddedApp } from '../../testkit/embedded.ts'
import { useFixture } from '../../testkit/fixture.ts'
import { invitation, invite, membersOf, Person, remove } from '../../testkit/person.ts'
import { stopMachineClock, stopTimeLimits } from '../../testkit/stopped-clock.ts'
import type { Answer } from '../../testkit/client.ts'

const one = useCompany()
const two = useCompany()

const clock = new TestClock()

const settings = () => ({
  SIGN_IN: 'one,two,none',
  SIGN_IN_ONE_ISSUER: one.issuer,
  SIGN_IN_ONE_CLIENT_ID: 'rollkey',
  SIGN_IN_ONE_CLIENT_SECRET: 'secret',
  SIGN_IN_ONE_LABEL: 'Company One',
  SIGN_IN_ONE_JOIN: 'acme:member',
  SIGN_IN_ONE_DOMAINS: 'one.example',
  SIGN_IN_TWO_ISSUER: two.issuer,
  SIGN_IN_TWO_CLIENT_ID: 'rollkey',
  SIGN_IN_TWO_CLIENT_SECRET: 'secret',
  SIGN_IN_NONE_ISSUER: 'http://127.0.0.1:1',
  SIGN_IN_NONE_CLIENT_ID: 'rollkey',
})

const app = useFixture(() => launchEmbeddedApp(settings(), { clock }))

let people = 0

/** Returns claims of a new person whose address the provider has verified. */
function claims(): { sub: string; name: string; email: string; email_verified: boolean } {
  people++
  return { sub: `person-${people}`, name: 'Grace', email: `person-${people}@one.example`, email_verified: true }
}

function place({ headers }: Answer): string | null {
  return headers.get('location')
}

function signIn(person: Person, who: object, company = one, name = 'one', more: object = {}): Promise<Answer> {
  return signInAt(person, company, name, { ...who }, more)
}

async function isSignedIn(person: Person): Promise<boolean> {
  return (await person.get('/get-session')).text !== 'null'
}

async function expectRefused(answer: Answer, person: Person, failure: string): Promise<void> {
  expect([answer.status, place(answer)]).toEqual([302, expect.stringContaining(`failure=${failure}`)])
  expect(await isSignedIn(person)).toBe(false)
}

describe('a person of an admitted domain', () => {
  test('joins the organization at the first sign-in and is the same person at the next', async () => {
    const grace = claims()
    const first = new Person(app.url)
    expect(place(await signIn(first, grace, one, 'one', { next: '/o/acme' }))).toBe('/o/acme')
    expect((await membersOf(app.owner)).find(({ user }) => user.email === grace.email)?.role).toBe('member')
    const second = new Person(app.url)
    await signIn(second, grace)
    expect(await second.id()).toBe(await first.id())
    expect(await first.token('acme')).not.toBe('')
  })

  test('two first sign-ins at once make one account', async () => {
    const grace = claims()
    const browsers = [1, 2, 3].map(() => new Person(app.url))
    const answers = await Promise.all(browsers.map((browser) => signIn(browser, grace)))
    expect(answers.map((answer) => [answer.status, place(answer)])).toEqual(browsers.map(() => [302, '/']))
    expect(new Set(await Promise.all(browsers.map((browser) => browser.id()))).size).toBe(1)
  })

  test('keeps the account when the address at the provider changes', async () => {
    const grace = claims()
    const before = new Person(app.url)
    await signIn(before, grace)
    const after = new Person(app.url)
    await signIn(after, { ...grace, email: app.owner.email })
    expect(await after.id()).toBe(await before.id())
  })

  test('does not come back by themselves after a removal, but by an invitation', async () => {
    const grace = claims()
    const person = new Person(app.url, grace.email)
    await signIn(person, grace)
    await remove(app.owner, person)
    await signIn(person, grace)
    expect((await membersOf(app.owner)).some(({ user }) => user.email === grace.email)).toBe(false)
    await person.must('/organization/accept-invitation', { invitationId: await invitation(app.owner, grace.email) })
    expect((await membersOf(app.owner)).some(({ user }) => user.email === grace.email)).toBe(true)
  })
})

describe('an invitation', () => {
  test('admits the person who signs in with it at a provider, as the invited address', async () => {
    const person = new Person(app.url)
    const id = await invitation(app.owner, person.email)
    const answer = await signIn(person, { sub: 'invited', email: 'other@two.example' }, two, 'two', { invitation: id })
    expect(place(answer)).toBe(`/invitation#id=${id}`)
    await person.must('/organization/accept-invitation', { invitationId: id })
    expect((await membersOf(app.owner)).some(({ user }) => user.email === person.email)).toBe(true)
  })

  test('does not give access to an account that exists', async () => {
    const victim = await invite(app.owner)
    await remove(app.owner, victim)
    const attacker = new Person(app.url)
    const id = await invitation(app.owner, victim.email)
    await expectRefused(
      await signIn(attacker, { sub: 'thief', email: victim.email }, two, 'two', { invitation: id }),
      attacker,
      'account-exists',
    )
  })
})

describe('no one takes over an account', () => {
  test.each([
    ['an address that is not verified', { email_verified: false }, 'not-admitted'],
    ['an address that is verified', { email_verified: true }, 'account-exists'],
  ])('by %s', async (_, more, failure) => {
    const victim = await invite(app.owner, 'member', `victim-${failure}@one.example`)
    const attacker = new Person(app.url)
    await expectRefused(await signIn(attacker, { ...claims(), email: victim.email, ...more }), attacker, failure)
  })

  test('by the same subject at another issuer', async () => {
    const grace = claims()
    await signIn(new Person(app.url), grace)
    const attacker = new Person(app.url)
    await expectRefused(await signIn(attacker, grace, two, 'two'), attacker, 'not-admitted')
  })

  test('by an answer for another browser, another provider, or without a start', async () => {
    const grace = claims()
    const [person, attacker] = [new Person(app.url), new Person(app.url)]
    const query = await one.admit(await begin(person, 'one'), { ...grace })
    await expectRefused(await comeBack(attacker, 'one', query), attacker, 'lost')
    await begin(attacker, 'two')
    await expectRefused(await comeBack(attacker, 'two', query), attacker, 'refused')
    await begin(attacker, 'one')
    await expectRefused(await comeBack(attacker, 'one', query), attacker, 'refused')
  })

  test('by an answer that was used before', async () => {
    const person = new Person(app.url)
    const url = await begin(person, 'one')
    const attacker = new Person(app.url)
    attacker.takeCookies(person)
    const query = await one.admit(url, { ...claims() })
    await comeBack(person, 'one', query)
    await expectRefused(await comeBack(attacker, 'one', query), attacker, 'refused')
  })

  test.each([
    ['another nonce', { nonce: 'other' }],
    ['no nonce', { nonce: undefined }],
    ['another issuer', { iss: 'https://other.example' }],
    ['another audience', { aud: 'other' }],
    ['a time in the past', { exp: 1 }],
    ['a start in the future', { nbf: 9_999_999_999 }],
    ['no subject', { sub: undefined }],
  ])('by a token with %s', async (_, more) => {
    const attacker = new Person(app.url)
    await expectRefused(await signIn(attacker, { ...claims(), ...more }), attacker, 'refused')
  })

  test('by a token that another key signed', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const attacker = new Person(app.url)
    const query = await one.admit(await begin(attacker, 'one'), { ...claims() }, privateKey)
    await expectRefused(await comeBack(attacker, 'one', query), attacker, 'refused')
  })

  test('by a token signed with the client secret', async () => {
    const secret = await crypto.subtle.importKey(
      'raw',
      Buffer.from('secret'.repeat(8)),
      { name: 'HMAC', hash: 'SHA-256' },
      true,
      ['sign'],
    )
    expect((await exportJWK(secret)).kty).toBe('oct')
    const attacker = new Person(app.url)
    const query = await one.admit(await begin(attacker, 'one'), { ...claims() }, secret, 'HS256')
    await expectRefused(await comeBack(attacker, 'one', query), attacker, 'refused')
  })

  test.each(['https://evil.example', '//evil.example', '/\\evil.example', '/\n/evil.example', 'javascript:alert(1)'])(
    'by sending the browser to %j afterwards',
    async (next) => {
      const answer = await new Person(app.url).post('/company/sign-in', { provider: 'one', next })
      expect(answer.status).toBe(400)
    },
  )
})

describe('a signed-in person', () => {
  test('adds a provider, signs in with it, and removes it', async () => {
    const grace = await invite(app.owner)
    const who = { sub: 'added', email: 'unrelated@two.example' }
    expect(place(await signIn(grace, who, two, 'two', { purpose: 'add', next: '/o/acme/account' }))).toBe(
      '/o/acme/account',
    )
    const elsewhere = new Person(app.url)
    await signIn(elsewhere, who, two, 'two')
    expect(await elsewhere.id()).toBe(await grace.id())
    const { body } = await grace.get('/company/methods')
    const id = (body.companies as { id: string }[])[0]?.id ?? ''
    await grace.must('/company/remove', { id })
    const later = new Person(app.url)
    await expectRefused(await signIn(later, who, two, 'two'), later, 'not-admitted')
  })

  test('cannot add the account of someone else, and cannot remove the last way to sign in', async () => {
    const who = claims()
    const owner = new Person(app.url)
    await signIn(owner, who)
    const grace = await invite(app.owner)
    expect(place(await signIn(grace, who, one, 'one', { purpose: 'add' }))).toContain('failure=in-use')
    await signIn(owner, { ...who, auth_time: Math.floor(Date.now() / 1_000) })
    const { body } = await owner.get('/company/methods')
    const id = (body.companies as { id: string }[])[0]?.id ?? ''
    expect((await owner.post('/company/remove', { id })).body.code).toBe('LAST_SIGN_IN_METHOD')
  })

  test('confirms at the provider, which must have asked for credentials just now', async () => {
    const who = claims()
    const grace = new Person(app.url)
    await signIn(grace, who)
    const before = await grace.get('/company/methods')
    const id = (before.body.companies as { id: string }[])[0]?.id ?? ''
    expect((await grace.post('/company/remove', { id })).body.code).toBe('CONFIRMATION_REQUIRED')
    const url = await begin(grace, 'one', { purpose: 'confirm' })
    expect(new URL(url).searchParams.get('prompt')).toBe('login')
    const nowSec = Math.floor(Date.now() / 1_000)
    const confirm = async (more: object): Promise<Answer> =>
      signIn(grace, { ...who, ...more }, one, 'one', { purpose: 'confirm' })
    for (const times of [{}, { auth_time: nowSec - 3_600 }, { auth_time: nowSec + 3_600 }])
      expect(place(await confirm(times))).toBe('/account#note=first-passkey&method=one')
    expect(place(await confirm({ auth_time: `${nowSec}` }))).toContain('failure=refused')
    expect(place(await confirm({ sub: claims().sub, auth_time: nowSec }))).toContain('failure=other-person')
    expect((await grace.post('/company/remove', { id })).body.code).toBe('CONFIRMATION_REQUIRED')
    expect(place(await confirm({ auth_time: nowSec }))).toBe('/')
    expect((await grace.post('/company/remove', { id })).body.code).toBe('LAST_SIGN_IN_METHOD')
  })
})

describe('a provider that fails', () => {
  test.each(['resets', 'hangs', 'drips'] as const)('says so and delays no other (%s)', async (trouble) => {
    // What the service knows of the provider is too old by then.
    clock.advance(60_000)
    two.trouble = trouble
    const person = new Person(app.url)
    // Nothing ends a wait for this provider, so a sign-in that succeeds does not wait for it.
    const resume = stopTimeLimits()
    stopMachineClock()
    const waiting = person.get('/company/status')
    await signIn(new Person(app.url), claims())
    resume()
    await waiting
    const states = (await person.get('/company/status')).body.methods as { name: string; isReachable: boolean }[]
    expect(states.map(({ name, isReachable }) => [name, isReachable])).toEqual([
      ['one', true],
      ['two', false],
      ['none', false],
    ])
    two.trouble = undefined
    clock.advance(60_000)
    const down = await person.post('/company/sign-in', { provider: 'none' })
    expect([down.status, down.body.code]).toEqual([503, 'PROVIDER_UNAVAILABLE'])
  })

  test('a sign-in that was denied says so', async () => {
    const person = new Person(app.url)
    const state = new URL(await begin(person, 'one')).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', state, iss: one.issuer }).toString()
    await expectRefused(await comeBack(person, 'one', query), person, 'denied')
  })
})
