/** An organization that requires a second factor: what it closes, for whom, and that everyone can open it for themselves. */
import { expect, test } from 'vitest'
import { auditEntries } from '../../testkit/audit.ts'
import { totpAt } from '../../testkit/authenticator.ts'
import type { Answer } from '../../testkit/client.ts'
import { TestClock } from '../../testkit/clock.ts'
import { signInAt, useCompany } from '../../testkit/company.ts'
import { launchEmbeddedApp } from '../../testkit/embedded.ts'
import { useFixture } from '../../testkit/fixture.ts'
import { goodPassword, invite, memberIdOf, Person, remove } from '../../testkit/person.ts'
import { queryIdentity } from '../../testkit/store.ts'

const company = useCompany()
const orgSlug = 'acme'
const stepMs = 30_000
const missing = '403 SECOND_FACTOR_MISSING'

function textOf({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${(body as { code?: string }).code ?? body.error?.code}`
}

/** A service whose owner has a second factor. */
async function scene() {
  const clock = new TestClock()
  const settings = {
    SIGN_IN: 'one',
    SIGN_IN_ONE_ISSUER: company.issuer,
    SIGN_IN_ONE_CLIENT_ID: 'rollkey',
    SIGN_IN_ONE_CLIENT_SECRET: 'secret',
    SIGN_IN_ONE_JOIN: 'acme:member',
    SIGN_IN_ONE_DOMAINS: 'one.example',
  }
  const app = await launchEmbeddedApp(settings, { clock })
  const { owner, client } = app
  /** Turns the second factor of a person on. Returns the address for their authenticator app. */
  const turnOn = async (person: Person): Promise<string> => {
    const { uri } = (await person.must('/second-factor/start')) as { uri: string }
    await person.must('/second-factor/enable', { code: totpAt(uri, clock.now()) })
    return uri
  }
  const enter = async (person: Person): Promise<string> =>
    textOf(await client.call('projects', { orgSlug }, { token: await person.token(orgSlug) }))
  const set = async (rules: object, by = owner): Promise<string> =>
    textOf(await client.call('signInRulesSet', { orgSlug, ...rules }, { token: await by.token(orgSlug) }))
  const shown = async () => {
    const token = await owner.token(orgSlug)
    const { isCompanyOnly, breakGlass, needsSecondFactor } = await client.must('signInRules', { orgSlug }, { token })
    return { isCompanyOnly, breakGlass, needsSecondFactor }
  }
  const signIn = async ({ email }: Person, uri?: string): Promise<Person> => {
    const person = new Person(app.url, email)
    const body = { email, password: goodPassword }
    if (uri === undefined) {
      await person.must('/sign-in/email', body)
      return person
    }
    // Each code works once, so it is one of a later step. The tokens of the provider are of the real time.
    clock.advance(stepMs)
    await person.must('/sign-in/email', { ...body, code: totpAt(uri, clock.now()) })
    clock.advance(-stepMs)
    return person
  }
  const ownerUri = await turnOn(owner)
  return { app, owner, ownerUri, client, turnOn, enter, set, shown, signIn, close: () => app.close() }
}

const base = useFixture(scene)

test('closes what began without one, from the next request on, until the person sets one up', async () => {
  const { owner, client, enter, set, turnOn, shown } = base
  const member = await invite(owner)
  const kept = await member.token(orgSlug)
  const [ofMember, ofOwner] = [await client.login(kept), await client.login(await owner.token(orgSlug))]
  const { deviceCode } = await client.approved(kept)

  expect(await set({ needsSecondFactor: true })).toBe('200')
  expect(await shown()).toEqual({ isCompanyOnly: false, breakGlass: [], needsSecondFactor: true })
  expect([await enter(member), await enter(owner)]).toEqual([missing, '200'])
  // A token that was issued before does not outlive the change, and no command-line session says how it was approved.
  expect(textOf(await client.call('whoami', {}, { token: kept }))).toBe(missing)
  for (const { accessToken } of [ofMember, ofOwner])
    expect(textOf(await client.call('whoami', {}, { token: accessToken }))).toBe('401 UNAUTHORIZED')
  expect((await client.call('devicePoll', { deviceCode })).status).not.toBe(200)
  // Nothing of the provider's own endpoints is open either.
  expect(textOf(await member.get('/organization/list-members'))).toBe(missing)

  await turnOn(member)
  expect(await enter(member)).toBe('200')
  expect((await member.get('/organization/list-members')).status).toBe(200)
  const { accessToken } = await client.login(await member.token(orgSlug))
  expect(textOf(await client.call('whoami', {}, { token: accessToken }))).toBe('200')

  expect(await set({ needsSecondFactor: false })).toBe('200')
  const entries = await auditEntries(client, orgSlug, await owner.token(orgSlug))
  const facts = entries.filter(({ action }) => action === 'organization.update').map((entry) => entry.facts)
  const [off, on] = [{ needsSecondFactor: false }, { needsSecondFactor: true }]
  expect(facts.slice(-2)).toEqual([
    { before: off, after: on },
    { before: on, after: off },
  ])
})

test('lets people sign in without one, who then can only set one up', async () => {
  const { owner, enter, set, signIn, turnOn } = base
  await set({ needsSecondFactor: true })
  const joined = await invite(owner)
  expect(await enter(joined)).toBe(missing)
  const again = await signIn(joined)
  expect(await enter(again)).toBe(missing)
  const uri = await turnOn(again)
  expect(await enter(again)).toBe('200')
  expect(await enter(await signIn(joined, uri))).toBe('200')
  await set({ needsSecondFactor: false })
})

test('ends with the second factor of a person', async () => {
  const { owner, enter, set, turnOn } = base
  const member = await invite(owner)
  await turnOn(member)
  await set({ needsSecondFactor: true })
  expect(await enter(member)).toBe('200')
  await member.must('/second-factor/remove')
  expect(await enter(member)).toBe(missing)
  await set({ needsSecondFactor: false })
})

test('takes a passkey for one, also when its person then confirms with the password', async () => {
  const { app, owner, enter, set } = base
  const member = await invite(owner)
  await set({ needsSecondFactor: true })
  expect(await enter(member)).toBe(missing)
  const passkeySession = `update session set method = 'passkey' where "userId" = $1`
  await queryIdentity(app.dataDir, passkeySession, await member.id())
  expect(await enter(member)).toBe('200')
  await member.must('/sign-in/email', { email: member.email, password: goodPassword })
  expect(await enter(member)).toBe('200')
  await set({ needsSecondFactor: false })
})

test('takes a sign-in at the company for one, but none at a company that anyone can sign in at', async () => {
  const { app, enter, set, owner } = base
  await set({ needsSecondFactor: true })
  const employee = { sub: 'sub-1', name: 'Grace', email: 'grace@one.example', email_verified: true }
  const grace = new Person(app.url, employee.email)
  await signInAt(grace, company, 'one', employee)
  expect(await enter(grace)).toBe('200')
  const member = await invite(owner)
  const stranger = { sub: 'sub-2', name: 'Mallory', email: 'mallory@elsewhere.example', email_verified: true }
  await signInAt(member, company, 'one', stranger, { purpose: 'add' })
  const again = new Person(app.url, member.email)
  await signInAt(again, company, 'one', stranger)
  expect(await again.id()).toBe(await member.id())
  expect(await enter(again)).toBe(missing)
  await set({ needsSecondFactor: false })
})

test('is not for who would lock themselves out, nor for an admin', async () => {
  const { owner, set, shown, turnOn } = base
  const second = await invite(owner, 'owner')
  const admin = await invite(owner, 'admin')
  await turnOn(admin)
  expect(await set({ needsSecondFactor: true }, second)).toBe('400 INVALID_REQUEST')
  expect(await set({ needsSecondFactor: true }, admin)).toBe('403 FORBIDDEN')
  expect((await shown()).needsSecondFactor).toBe(false)
})

test('stands beside “company sign-in only”: its exceptions need one, too', async () => {
  const { owner, enter, set, shown, turnOn } = base
  const [ownerId, second] = [await owner.id(), await invite(owner, 'owner')]
  const breakGlass = [ownerId, await second.id()].toSorted()
  expect(await set({ isCompanyOnly: true, breakGlass })).toBe('200')
  expect(await enter(second)).toBe('200')
  expect(await set({ needsSecondFactor: true })).toBe('200')
  // What is absent stays as it is.
  expect(await shown()).toEqual({ isCompanyOnly: true, breakGlass, needsSecondFactor: true })
  expect(await enter(second)).toBe(missing)
  await turnOn(second)
  expect(await enter(second)).toBe('200')
  const member = await invite(owner)
  await turnOn(member)
  expect(await enter(member)).toBe('403 COMPANY_SIGN_IN_REQUIRED')
  expect(await set({ isCompanyOnly: false })).toBe('200')
  expect(await shown()).toEqual({ isCompanyOnly: false, breakGlass: [], needsSecondFactor: true })
  expect(await enter(member)).toBe('200')
  await set({ needsSecondFactor: false })
})

test('can begin after one of the owners who are excepted from the company has left', async () => {
  const { owner, set, shown } = base
  const [ownerId, second] = [await owner.id(), await invite(owner, 'owner')]
  expect(await set({ isCompanyOnly: true, breakGlass: [ownerId, await second.id()] })).toBe('200')
  expect((await remove(owner, second)).status).toBe(200)
  expect(await set({ needsSecondFactor: true })).toBe('200')
  expect((await shown()).needsSecondFactor).toBe(true)
  await set({ isCompanyOnly: false, needsSecondFactor: false })
})

test('lets an owner who entered the code make a password link', async () => {
  const { owner, ownerUri, set, signIn } = base
  const member = await invite(owner)
  await set({ needsSecondFactor: true })
  const memberId = await memberIdOf(owner, member)
  expect(textOf(await (await signIn(owner, ownerUri)).post('/links/reset', { memberId }))).toBe('200')
  await set({ needsSecondFactor: false })
})
