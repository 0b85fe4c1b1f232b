/** Access of people whom the embedded provider knows: by email before they join, and never after they left. */
import { beforeEach, expect, test } from 'vitest'
import { secret } from '../../testkit/entries.ts'
import { launchEmbeddedApp, type EmbeddedApp } from '../../testkit/embedded.ts'
import { goodPassword, inLink, invite, Person } from '../../testkit/person.ts'

let app: EmbeddedApp
const dev = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'dev' }

/** Invites an email, and returns what lets the person join. */
async function invitationOf(email: string): Promise<{ person: Person; join: () => Promise<void> }> {
  const { id } = await app.owner.must('/organization/invite-member', { email, role: 'member' })
  const { url } = await app.owner.must('/links/invite', { invitationId: id })
  const person = new Person(app.owner.origin, email)
  person.url = app.owner.url
  const link = inLink(url, 'id')
  return {
    person,
    join: async () => {
      await person.must('/links/sign-up', { id: link, name: 'Grace', password: goodPassword })
      await person.must('/organization/accept-invitation', { invitationId: link })
    },
  }
}

async function asOwner(
  name:
    | 'accessGrant'
    | 'accessRevoke'
    | 'accessExplain'
    | 'accessHolders'
    | 'stageProtect'
    | 'tokenCreate'
    | 'organizationUpdate'
    | 'write'
    | 'groupCreate'
    | 'groupMembers'
    | 'accessList'
    | 'groups',
  input: object,
) {
  return app.client.must(name, { orgSlug: 'acme', ...input }, { token: await app.owner.token() })
}

/** A service for each test, because its rules and grants are those of one organization. Members have nothing without a grant. */
beforeEach(async () => {
  app = await launchEmbeddedApp()
  const places = [dev, { ...dev, stageSlug: 'prod' }]
  for (const at of places) await asOwner('write', { ...at, mode: 'upsert', entries: [secret('A', 'a')] })
  await asOwner('organizationUpdate', { defaultRole: 'none' })
  return () => app.close()
})

const evaluates = async (person: Person): Promise<string> => {
  const { status, body } = await app.client.call(
    'evaluate',
    { ...dev, name: 'A' },
    { token: await person.token('acme') },
  )
  return status === 200 ? 'ok' : body.error.code
}

test('what is granted to an email is theirs from the moment they join, and gone when they leave', async () => {
  const { person, join } = await invitationOf('grace@example.com')
  const email = { kind: 'email', id: 'Grace@Example.com' }
  const place = { projectSlug: 'shop', stageSlug: 'dev' }
  await asOwner('accessGrant', { principal: email, role: 'reader', ...place })
  const { id } = await asOwner('groupCreate', { name: 'Ops' })
  await asOwner('groupMembers', { id, add: [email] })
  expect((await asOwner('accessList', {})).grants).toMatchObject([
    { principal: { kind: 'email', id: 'grace@example.com' } },
  ])
  await join()
  expect(await evaluates(person)).toBe('ok')
  const user = { kind: 'user', id: await person.id() }
  expect((await asOwner('accessList', {})).grants).toMatchObject([{ principal: user, ...place, role: 'reader' }])
  expect((await asOwner('groups', {})).groups).toMatchObject([{ members: [user] }])
  await app.owner.must('/organization/remove-member', { memberIdOrEmail: person.email })
  expect((await asOwner('accessList', {})).grants).toEqual([])
  expect((await asOwner('groups', {})).groups).toMatchObject([{ members: [] }])
})

test('an email of a member is that member', async () => {
  const { person, join } = await invitationOf('joan@example.com')
  await join()
  expect(await evaluates(person)).toBe('VARIABLE_NOT_FOUND')
  await asOwner('accessGrant', {
    principal: { kind: 'email', id: 'JOAN@example.com' },
    role: 'reader',
    projectSlug: 'shop',
  })
  expect(await evaluates(person)).toBe('ok')
  const { grants } = await asOwner('accessList', {})
  expect(grants).toMatchObject([{ principal: { kind: 'user', id: await person.id() } }])
})

test('inviting gives no verb to anyone: not to who invites, and to who joins only what was granted', async () => {
  const place = { projectSlug: 'shop', stageSlug: 'prod' }
  const maintainer = await invite(app.owner)
  await asOwner('accessGrant', { principal: { kind: 'user', id: await maintainer.id() }, role: 'maintainer', ...place })
  const puppet = 'puppet@example.com'
  for (const role of ['member', 'admin', 'owner']) {
    const { status } = await maintainer.post('/organization/invite-member', { email: puppet, role })
    expect([role, status]).toEqual([role, 403])
  }
  const token = await maintainer.token('acme')
  const waiting = { principal: { kind: 'email', id: puppet }, role: 'maintainer', orgSlug: 'acme' }
  expect((await app.client.call('accessGrant', { ...waiting, projectSlug: 'shop' }, { token })).status).toBe(403)
  await app.client.must('accessGrant', { ...waiting, ...place }, { token })
  const admin = await invite(app.owner, 'admin')
  expect(await evaluates(admin)).toBe('FORBIDDEN')
  const { body, status } = await admin.post('/organization/invite-member', {
    email: 'second@example.com',
    role: 'owner',
  })
  expect([status, body]).toEqual([403, expect.anything()])
  const joined = await invite(admin, 'member', puppet)
  expect(await evaluates(joined)).toBe('VARIABLE_NOT_FOUND')
  const { verbs } = await app.client.must('whoami', {}, { token: await joined.token('acme') })
  expect(verbs).toEqual([{ verbs: [] }, { ...place, verbs: ['list', 'read', 'write', 'approve', 'manage'] }])
})

test('answers name people, groups and tokens, and an email stands for its member', async () => {
  const { person, join } = await invitationOf('mary@example.com')
  await join()
  await asOwner('organizationUpdate', { defaultRole: 'developer' })
  const place = { projectSlug: 'shop', stageSlug: 'dev' }
  const email = { kind: 'email', id: 'mary@example.com' }
  const mary = { kind: 'user', id: await person.id(), name: 'Grace', email: 'mary@example.com' }
  const { id } = await asOwner('groupCreate', { name: 'Writers' })
  const token = await asOwner('tokenCreate', { name: 'ci', role: 'reader', ...place })
  const writers = { kind: 'group', id, name: 'Writers' }
  const ci = { kind: 'token', id: token.id, name: 'ci' }
  await asOwner('groupMembers', { id, add: [email] })
  await asOwner('accessGrant', { principal: email, role: 'reader', ...place })
  for (const { kind, id: principalId } of [writers, ci])
    await asOwner('accessGrant', { principal: { kind, id: principalId }, role: 'developer', ...place })
  const named = (answer: { principal?: object | undefined }[]) => answer.map(({ principal }) => principal)
  expect(named((await asOwner('accessList', place)).grants)).toEqual(expect.arrayContaining([mary, writers, ci]))
  expect((await asOwner('groups', {})).groups).toContainEqual(expect.objectContaining({ id, members: [mary] }))
  expect(named((await asOwner('accessExplain', { principal: email, ...place })).sources)).toEqual(
    expect.arrayContaining([mary, writers]),
  )
  expect(named((await asOwner('accessHolders', place)).holders)).toEqual(expect.arrayContaining([mary, ci]))
  await asOwner('organizationUpdate', { defaultRole: 'none' })
  await asOwner('accessGrant', { principal: email, role: 'developer', projectSlug: 'shop' })
  await asOwner('accessRevoke', { principal: email, ...place })
  await asOwner('groupMembers', { id, remove: [email] })
  expect(named((await asOwner('stageProtect', { ...place, isProtected: true, dryRun: true })).losing)).toContainEqual(
    mary,
  )
  expect((await asOwner('groups', {})).groups).toContainEqual(expect.objectContaining({ id, members: [] }))
})

test('owners and admins keep list and manage, whatever is granted', async () => {
  const token = await app.owner.token()
  const { verbs } = await app.client.must('whoami', {}, { token })
  expect(verbs[0]).toEqual({ verbs: ['list', 'manage'] })
  expect((await app.client.call('evaluate', { ...dev, name: 'A' }, { token })).body.error.code).toBe('FORBIDDEN')
  expect((await app.client.call('accessList', { orgSlug: 'acme' }, { token })).status).toBe(200)
})
