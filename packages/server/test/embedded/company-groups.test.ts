/** Groups of companies' providers: whom a provider reports at a sign-in is a member, until it does not anymore. */
import { isDeepStrictEqual } from 'node:util'
import type { JWTPayload } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { auditEntries } from '../../testkit/audit.ts'
import { secret } from '../../testkit/entries.ts'
import { signInAt, useCompany } from '../../testkit/company.ts'
import { launchEmbeddedApp } from '../../testkit/embedded.ts'
import { useFixture } from '../../testkit/fixture.ts'
import { goodPassword, inLink, invitation, invite, memberIdOf, Person, remove } from '../../testkit/person.ts'
import { queryIdentity } from '../../testkit/store.ts'

const one = useCompany()
const two = useCompany()
const app = useFixture(() =>
  launchEmbeddedApp({
    SIGN_IN: 'one,two,three',
    SIGN_IN_ONE_ISSUER: one.address,
    SIGN_IN_ONE_CLIENT_ID: 'rollkey',
    SIGN_IN_ONE_CLIENT_SECRET: 'secret',
    SIGN_IN_ONE_JOIN: 'acme:member',
    SIGN_IN_ONE_TENANTS: 'acme',
    SIGN_IN_ONE_GROUPS_CLAIM: 'realm.groups',
    SIGN_IN_TWO_ISSUER: two.address,
    SIGN_IN_TWO_CLIENT_ID: 'rollkey',
    SIGN_IN_TWO_CLIENT_SECRET: 'secret',
    SIGN_IN_TWO_GROUPS_CLAIM: 'groups',
    SIGN_IN_THREE_ISSUER: 'http://127.0.0.1:1',
    SIGN_IN_THREE_CLIENT_ID: 'rollkey',
  }),
)
const dev = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'dev' }
/** The group that stands for `ops` of the first provider, and reads a stage. */
let ops: string

async function asOwner(name: Parameters<typeof app.client.must>[0], input: object) {
  return app.client.must(name, { orgSlug: 'acme', ...input }, { token: await app.owner.token('acme') })
}

async function refusalOf(name: Parameters<typeof app.client.call>[0], input: object) {
  const token = await app.owner.token('acme')
  const { body } = await app.client.call(name, { orgSlug: 'acme', ...input }, { token })
  return body.error
}

beforeAll(async () => {
  await asOwner('write', { ...dev, mode: 'upsert', entries: [secret('A', 'a')] })
  await asOwner('organizationUpdate', { defaultRole: 'none' })
  ops = (await asOwner('groupCreate', { name: 'Operations', idpGroup: 'one:ops' })).id
  const place = { projectSlug: 'shop', stageSlug: 'dev' }
  await asOwner('accessGrant', { principal: { kind: 'group', id: ops }, role: 'reader', ...place })
})

let people = 0

/** Returns claims of a new person of the first provider. */
function newClaims(): JWTPayload {
  people++
  return { sub: `person-${people}`, tid: 'acme', preferred_username: `person-${people}@acme.example` }
}

/** Signs in at the first provider from a new browser. */
async function signIn(who: JWTPayload, groups: unknown, more: object = {}): Promise<Person> {
  const person = new Person(app.url)
  await signInAt(person, one, 'one', { ...who, realm: { groups }, ...more })
  return person
}

async function evaluates(person: Person): Promise<string> {
  const token = await person.token('acme')
  const { status, body } = await app.client.call('evaluate', { ...dev, name: 'A' }, { token })
  return status === 200 ? 'ok' : body.error.code
}

const ok = 'ok'
const hidden = 'VARIABLE_NOT_FOUND'

test('a person has the groups of the last sign-in, in all browsers', async () => {
  const grace = newClaims()
  const first = await signIn(grace, ['staff', 'ops'])
  expect(await evaluates(first)).toBe(ok)
  const later = await signIn(grace, ['staff'])
  expect([await evaluates(later), await evaluates(first)]).toEqual([hidden, hidden])
  await signIn(grace, ['ops'])
  expect(await evaluates(first)).toBe(ok)
  const principal = { kind: 'user', id: await first.id() }
  const entries = await auditEntries(app.client, 'acme', await app.owner.token('acme'))
  const changes = entries.filter(({ facts }) => isDeepStrictEqual(facts, { groupId: ops, principal }))
  expect(changes.map(({ action, how }) => [action, how])).toEqual(
    ['join', 'leave', 'join'].map((what) => [`group.${what}`, 'system']),
  )
})

test.each([
  ['a single text', 'ops', ok],
  ['repeated names', ['ops', 'ops'], ok],
  ['10,000 others and this one', [...Array.from({ length: 9_999 }, (_, index) => `g${index}`), 'ops'], ok],
  ['10,000 others', Array.from({ length: 10_000 }, (_, index) => `g${index}`), hidden],
  ['no claim', undefined, hidden],
  ['null', null, hidden],
  ['an object with the name', { ops: true }, hidden],
  ['a nested list', [['ops']], hidden],
  ['an object in the list', [{ name: 'ops' }], hidden],
  ['another spelling', ['OPS', ' ops', 'ops ', 'ops\u0000', '/ops'], hidden],
  ['the name of the provider in front', ['one:ops', 'two:ops'], hidden],
  ['an empty name', [''], hidden],
  ['names of properties', ['__proto__', 'constructor', 'toString'], hidden],
  ['numbers', [1, true, null], hidden],
])('of a claim with %s, only texts of the list count', async (_, groups, expected) => {
  const grace = newClaims()
  const person = await signIn(grace, expected === ok ? [] : ['ops'])
  await signIn(grace, groups)
  expect(await evaluates(person)).toBe(expected)
})

test('a claim that names another path, or is inherited, does not count', async () => {
  const grace = newClaims()
  const person = await signIn(grace, ['ops'])
  await signIn(grace, undefined, { realm: 'ops', groups: ['ops'] })
  expect(await evaluates(person)).toBe(hidden)
  await signIn(grace, undefined, { 'realm.groups': ['ops'] })
  expect(await evaluates(person)).toBe(ok)
})

test('groups that Entra leaves out because they are too many count as none, and the log says so', async () => {
  const grace = await invite(app.owner)
  const who = { sub: 'many-groups' }
  await asOwner('groupCreate', { name: 'Many', idpGroup: 'two:many' })
  await signInAt(grace, two, 'two', { ...who, groups: ['many'] }, { purpose: 'add' })
  const isMember = async (): Promise<boolean> => {
    const { groups } = (await asOwner('groups', {})) as { groups: { name: string; members: unknown[] }[] }
    return groups.some(({ name, members }) => name === 'Many' && members.length === 1)
  }
  expect(await isMember()).toBe(true)
  const sources = { src1: { endpoint: `${one.address}/v1.0/users/1/getMemberObjects` } }
  await signInAt(new Person(app.url), two, 'two', {
    ...who,
    _claim_names: { groups: 'src1' },
    _claim_sources: sources,
  })
  expect(await isMember()).toBe(false)
  expect(app.log.join('')).toContain('because they are too many')
})

test('groups that only the userinfo endpoint has count too', async () => {
  const grace = newClaims()
  one.userinfo = { sub: grace.sub, realm: { groups: ['ops'] } }
  try {
    // The service knows the metadata for ten minutes, so it fetches it again only after a restart of the sign-in.
    const other = await launchEmbeddedApp({
      SIGN_IN: 'one',
      SIGN_IN_ONE_ISSUER: one.address,
      SIGN_IN_ONE_CLIENT_ID: 'rollkey',
      SIGN_IN_ONE_CLIENT_SECRET: 'secret',
      SIGN_IN_ONE_JOIN: 'acme:member',
      SIGN_IN_ONE_TENANTS: 'acme',
      SIGN_IN_ONE_GROUPS_CLAIM: 'realm.groups',
    })
    try {
      const token = await other.owner.token('acme')
      await other.client.must('groupCreate', { orgSlug: 'acme', name: 'Operations', idpGroup: 'one:ops' }, { token })
      await signInAt(new Person(other.url), one, 'one', { ...grace })
      const { groups } = await other.client.must('groups', { orgSlug: 'acme' }, { token })
      expect(groups).toMatchObject([{ members: [{ kind: 'user' }] }])
    } finally {
      await other.close()
    }
  } finally {
    one.userinfo = undefined
  }
})

test('a group of the same name at another provider is another group', async () => {
  const grace = await invite(app.owner)
  await signInAt(grace, two, 'two', { sub: 'same-name', groups: ['ops'] }, { purpose: 'add' })
  expect(await evaluates(grace)).toBe(hidden)
  await signInAt(grace, one, 'one', { sub: 'same-name', realm: { groups: ['ops'] } }, { purpose: 'add' })
  expect(await evaluates(grace)).toBe(ok)
  // A sign-in at the other provider says nothing about the groups of this one.
  await signInAt(grace, two, 'two', { sub: 'same-name', groups: [] })
  expect(await evaluates(grace)).toBe(ok)
})

test('who signs in to accept an invitation has the groups from then on', async () => {
  const newcomer = new Person(app.url)
  const accept = async (invitationId: string) => newcomer.must('/organization/accept-invitation', { invitationId })
  const first = await invitation(app.owner, newcomer.email)
  const who = { sub: 'newcomer', realm: { groups: ['ops'] } }
  await signInAt(newcomer, one, 'one', who, { invitation: first })
  await accept(first)
  expect(await evaluates(newcomer)).toBe(ok)
  await remove(app.owner, newcomer)
  // With an account, the page of the invitation leads back to itself. A report of an earlier sign-in does not count.
  const second = await invitation(app.owner, newcomer.email)
  const next = `/invitation#id=${second}`
  await signInAt(newcomer, one, 'one', who, { next })
  const before = new Date(Date.now() - 15 * 60_000).toISOString()
  const age = 'update session set "createdAt" = $1 where "userId" = $2'
  await queryIdentity(app.dataDir, age, before, await newcomer.id())
  await accept(second)
  expect(await evaluates(newcomer)).toBe(hidden)
  await remove(app.owner, newcomer)
  const third = await invitation(app.owner, newcomer.email)
  await signInAt(newcomer, one, 'one', who, { next })
  await accept(third)
  expect(await evaluates(newcomer)).toBe(ok)
})

test('a sign-in by password says nothing about groups, and disconnecting the provider ends them', async () => {
  const grace = await invite(app.owner)
  const who = { sub: 'disconnected', realm: { groups: ['ops'] } }
  await signInAt(grace, one, 'one', who, { purpose: 'add' })
  await grace.signIn(goodPassword)
  expect(await evaluates(grace)).toBe(ok)
  const [company] = (await grace.get('/company/methods')).body.companies as { id: string }[]
  await grace.must('/company/remove', { id: company?.id })
  expect(await evaluates(grace)).toBe(hidden)
})

test('a new password by a link disconnects the provider, and ends its groups', async () => {
  const grace = await invite(app.owner)
  await signInAt(grace, one, 'one', { sub: 'reset', realm: { groups: ['ops'] } }, { purpose: 'add' })
  expect(await evaluates(grace)).toBe(ok)
  app.owner.changeAddress()
  const { url } = await app.owner.must('/links/reset', { memberId: await memberIdOf(app.owner, grace) })
  const newPassword = 'another good password'
  await grace.must('/reset-password', { token: inLink(url as string, 'token'), newPassword })
  await grace.signIn(newPassword)
  expect(await evaluates(grace)).toBe(hidden)
})

test('people who sign in at once all get their groups', async () => {
  const signedIn = Array.from({ length: 5 }, () => new Person(app.url))
  const answers = signedIn.map((person) => signInAt(person, one, 'one', { ...newClaims(), realm: { groups: ['ops'] } }))
  expect((await Promise.all(answers)).map(({ headers, text }) => headers.get('location') ?? text)).toEqual(
    signedIn.map(() => '/'),
  )
  expect(new Set(await Promise.all(signedIn.map(evaluates)))).toEqual(new Set([ok]))
})

test('a group stands only for one of a provider that reports groups, with the name of the provider', async () => {
  for (const idpGroup of ['ops', 'one', 'one:', 'three:ops', 'four:ops', 'ONE:ops', ':ops']) {
    const { code, message } = await refusalOf('groupCreate', { name: 'Refused', idpGroup })
    expect([idpGroup, code]).toEqual([idpGroup, 'INVALID_REQUEST'])
    expect(message).toContain('like one:… or two:…')
  }
  expect((await asOwner('groups', {})).groups).toEqual(
    expect.arrayContaining([expect.objectContaining({ idpGroup: 'one:ops' })]),
  )
})
