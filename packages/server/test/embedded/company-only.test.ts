/** “Company sign-in only”: what it closes, for whom, and that someone can always enter. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { actingPaths } from '../../src/identity/entry-rules.ts'
import { servedPaths } from '../../src/identity/paths.ts'
import { auditEntries } from '../../testkit/audit.ts'
import type { Answer } from '../../testkit/client.ts'
import { signInAt, useCompany } from '../../testkit/company.ts'
import { launchEmbeddedApp, type EmbeddedApp } from '../../testkit/embedded.ts'
import { useFixture } from '../../testkit/fixture.ts'
import { invite, memberIdOf, Person, remove, resetToken } from '../../testkit/person.ts'

const one = useCompany()
const two = useCompany()

const settings = () => ({
  SIGN_IN: 'one,two',
  SIGN_IN_ONE_ISSUER: one.issuer,
  SIGN_IN_ONE_CLIENT_ID: 'rollkey',
  SIGN_IN_ONE_CLIENT_SECRET: 'secret',
  SIGN_IN_ONE_JOIN: 'acme:member',
  SIGN_IN_ONE_DOMAINS: 'one.example',
  SIGN_IN_TWO_ISSUER: two.issuer,
  SIGN_IN_TWO_CLIENT_ID: 'rollkey',
  SIGN_IN_TWO_CLIENT_SECRET: 'secret',
  SIGN_UP: 'open',
})

let people = 0

function claims(domain = 'one.example') {
  people++
  return { sub: `sub-${people}`, name: 'Grace', email: `sub-${people}@${domain}`, email_verified: true }
}

const required = '403 COMPANY_SIGN_IN_REQUIRED'

function textOf({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${(body as { code?: string }).code ?? body.error?.code}`
}

/** A service with an organization, in which people of all kinds are signed in. */
async function scene() {
  const app: EmbeddedApp = await launchEmbeddedApp(settings())
  const { owner, client } = app
  const orgSlug = 'acme'
  const enter = async (person: Person): Promise<string> =>
    textOf(await client.call('projects', { orgSlug }, { token: await person.token(orgSlug) }))
  const set = async (isCompanyOnly: boolean, breakGlass: readonly string[] = [], by = owner): Promise<string> =>
    textOf(
      await client.call('signInRulesSet', { orgSlug, isCompanyOnly, breakGlass }, { token: await by.token(orgSlug) }),
    )
  const employee = async (): Promise<Person> => {
    const who = claims()
    const person = new Person(app.url, who.email)
    await signInAt(person, one, 'one', who)
    return person
  }
  return { app, owner, client, enter, set, employee, ownerId: await owner.id(), close: () => app.close() }
}

const base = useFixture(scene)

describe('company sign-in only', () => {
  test('ends what people began with a password, from the next request on, and spares the company and the exceptions', async () => {
    const { app, owner, client, enter, set, employee, ownerId } = base
    const member = await invite(owner)
    const grace = await employee()
    const cli = async (person: Person) => client.login(await person.token('acme'))
    const [ofMember, ofOwner] = [await cli(member), await cli(owner)]
    const kept = await member.token('acme')
    expect([await enter(member), await enter(grace), await enter(owner)]).toEqual(['200', '200', '200'])

    expect(await set(true, [ownerId])).toBe('200')
    expect([await enter(member), await enter(grace), await enter(owner)]).toEqual([required, '200', '200'])
    // A token that was issued before does not outlive the change.
    expect(textOf(await client.call('whoami', {}, { token: kept }))).toBe(required)
    expect(textOf(await client.call('whoami', {}, { token: ofMember.accessToken }))).toBe('401 UNAUTHORIZED')
    expect((await client.refresh(ofMember.refreshToken)).status).toBe(401)
    expect(textOf(await client.call('whoami', {}, { token: ofOwner.accessToken }))).toBe('200')
    const { accessToken } = await client.login(await grace.token('acme'))
    expect(textOf(await client.call('whoami', {}, { token: accessToken }))).toBe('200')

    // Nothing of the provider's own endpoints is open either.
    for (const path of ['/organization/list-members', '/organization/list-invitations'])
      expect(textOf(await member.get(path)), path).toBe(required)
    const again = new Person(app.url, member.email)
    expect(textOf(await again.signIn())).toBe(required)
    expect(textOf(await new Person(app.url, owner.email).signIn())).toBe('200')
    const reset = await owner.post('/links/reset', { memberId: await memberIdOf(owner, member) })
    expect(textOf(reset)).toBe(required)

    expect(await set(false)).toBe('200')
    expect(textOf(await again.signIn())).toBe('200')
    expect(await enter(again)).toBe('200')
    const all = await auditEntries(client, 'acme', await owner.token('acme'))
    const entries = all.filter(({ action }) => action === 'organization.update')
    const [open, closed] = [
      { isCompanyOnly: false, breakGlass: [] },
      { isCompanyOnly: true, breakGlass: [ownerId] },
    ]
    expect(entries.slice(-2).map(({ facts }) => facts)).toEqual([
      { before: open, after: closed },
      { before: closed, after: open },
    ])
  })

  test('refuses a password link that was made before, and a login that was approved before', async () => {
    const { app, owner, client, set, ownerId } = base
    const member = await invite(owner)
    const token = await resetToken(owner, member)
    const { deviceCode } = await client.approved(await member.token('acme'))
    expect(await set(true, [ownerId])).toBe('200')
    const used = await new Person(app.url).post('/reset-password', { token, newPassword: 'another good password' })
    expect(textOf(used)).toBe(required)
    expect((await client.call('devicePoll', { deviceCode })).status).not.toBe(200)
    await set(false)
  })

  test('refuses people who join with a new password', async () => {
    const { app, owner, enter, set, ownerId } = base
    await set(true, [ownerId])
    const joined = await invite(owner)
    expect(await enter(joined)).toBe(required)
    expect(textOf(await new Person(app.url, joined.email).signIn())).toBe(required)
    await set(false)
  })

  test('knows every path that acts in an organization', () => {
    const harmless = ['list', 'create', 'set-active', 'leave', 'accept-invitation', 'reject-invitation']
    const others = servedPaths.filter((path) => path.startsWith('/organization/') && !actingPaths.has(path))
    expect(others.toSorted()).toEqual(harmless.map((name) => `/organization/${name}`).toSorted())
  })

  test('lets a person link the company, and enter with it', async () => {
    const { app, owner, enter, set, ownerId } = base
    const member = await invite(owner)
    await set(true, [ownerId])
    const who = claims()
    expect(await enter(member)).toBe(required)
    await signInAt(member, one, 'one', who, { purpose: 'add' })
    const again = new Person(app.url, member.email)
    await signInAt(again, one, 'one', who)
    expect(await again.id()).toBe(await member.id())
    expect(await enter(again)).toBe('200')
    await set(false)
  })

  test('does not accept an account at the provider that is not of the company, nor that of another provider for it', async () => {
    const { app, owner, enter, set, ownerId } = base
    const member = await invite(owner)
    const stranger = claims('elsewhere.example')
    await signInAt(member, one, 'one', stranger, { purpose: 'add' })
    await set(true, [ownerId])
    const again = new Person(app.url, member.email)
    const { headers } = await signInAt(again, one, 'one', stranger)
    expect(headers.get('location')).toContain('failure=')
    expect(await enter(member)).toBe(required)
    await set(false)
  })

  test('leaves the other organizations of a person open', async () => {
    const { app, client, owner, enter, set, ownerId } = base
    const member = await invite(owner)
    await member.must('/organization/create', { name: 'Hers', slug: `hers-${people++}` })
    const slug = `hers-${people - 1}`
    await set(true, [ownerId])
    const again = new Person(app.url, member.email)
    expect(textOf(await again.signIn())).toBe('200')
    expect(textOf(await client.call('projects', { orgSlug: slug }, { token: await again.token(slug) }))).toBe('200')
    expect(await enter(again)).toBe(required)
    await set(false)
  })

  test('keeps a sign-in at the company when its person confirms with the password', async () => {
    const { app, owner, enter, set, ownerId } = base
    const member = await invite(owner)
    const who = claims()
    await signInAt(member, one, 'one', who, { purpose: 'add' })
    await set(true, [ownerId])
    const again = new Person(app.url, member.email)
    await signInAt(again, one, 'one', who)
    expect(textOf(await again.signIn())).toBe('200')
    expect(await enter(again)).toBe('200')
    await set(false)
  })

  test('shows whose people join by themselves', async () => {
    const { client, owner } = base
    const { joining } = await client.must('signInRules', { orgSlug: 'acme' }, { token: await owner.token('acme') })
    expect(joining).toEqual([{ label: 'one', domains: ['one.example'], tenants: [], role: 'member' }])
  })

  test('shows owners and admins how each member signs in', async () => {
    const { owner, employee } = base
    const member = await invite(owner)
    const grace = await employee()
    const { activeOrganizationId } = (await owner.get('/get-session')).body.session as { activeOrganizationId: string }
    const path = `/company/members?organizationId=${activeOrganizationId}`
    const { members } = (await owner.get(path)).body as { members: { userId: string }[] }
    const of = (id: string) => members.find(({ userId }) => userId === id)
    const none = { hasPassword: false, hasPasskey: false, hasSecondFactor: false }
    expect(of(await member.id())).toMatchObject({ ...none, hasPassword: true, companies: [] })
    expect(of(await grace.id())).toMatchObject({ ...none, companies: ['one'] })
    expect((await member.get(path)).status).toBe(403)
  })
})

describe('the exceptions', () => {
  test('must be owners of the organization, and there must be one', async () => {
    const { owner, set } = base
    const member = await invite(owner)
    expect(await set(true)).toBe('400 INVALID_REQUEST')
    expect(await set(true, [await member.id()])).toBe('400 INVALID_REQUEST')
    expect(await set(true, ['unknown'])).toBe('400 INVALID_REQUEST')
    expect(await set(true, [await owner.id()], await invite(owner, 'admin'))).toBe('403 FORBIDDEN')
  })

  test('cannot all leave, be removed or be made less, also at once', async () => {
    // Afterwards, it is not known who is an owner.
    const { owner, set, enter, ownerId, close } = await scene()
    onTestFinished(close)
    const second = await invite(owner, 'owner')
    await set(true, [ownerId, await second.id()])
    const answers = await Promise.all([remove(owner, second), remove(second, owner)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    const [left, gone] = answers[0]?.status === 200 ? [owner, second] : [second, owner]
    const demotion = { memberId: await memberIdOf(left, left), role: 'member' }
    expect(textOf(await left.post('/organization/update-member-role', demotion))).not.toBe('200')
    expect(textOf(await left.post('/organization/leave', { organizationId: await organizationIdOf(left) }))).not.toBe(
      '200',
    )
    expect(await enter(left)).toBe('200')
    expect((await gone.get('/token?organizationSlug=acme')).status).toBe(403)
  })
})

async function organizationIdOf(person: Person): Promise<string> {
  return ((await person.get('/get-session')).body.session as { activeOrganizationId: string }).activeOrganizationId
}

test('an installation without company sign-in cannot require it', async () => {
  const app = await launchEmbeddedApp()
  onTestFinished(() => app.close())
  const input = { orgSlug: 'acme', isCompanyOnly: true, breakGlass: [await app.owner.id()] }
  const answer = await app.client.call('signInRulesSet', input, { token: await app.owner.token('acme') })
  expect(textOf(answer)).toBe('400 INVALID_REQUEST')
})
