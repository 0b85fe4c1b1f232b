/** A removal takes effect with the next request, for every credential. */
import { describe, expect, test } from 'vitest'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { isLong } from '../../testkit/long.ts'
import { invitation, invite, remove, type Person } from '../../testkit/person.ts'

const app = useEmbeddedApp()
const at = { orgSlug: 'acme', projectSlug: 'p', stageSlug: 's' }

async function list(token: string, orgSlug = 'acme'): Promise<string> {
  const { status, body } = await app.client.call('list', { ...at, orgSlug }, { token })
  return status === 200 ? 'ok' : `${status} ${body.error.code}`
}

test('whoami returns the name and email of the person', async () => {
  const grace = await invite(app.owner)
  const jwt = await grace.token()
  const { accessToken } = await app.client.login(jwt)
  for (const token of [jwt, accessToken]) {
    const { email, name } = await app.client.must('whoami', {}, { token })
    expect({ email, name }).toEqual({ email: grace.email, name: expect.stringMatching(/./) })
  }
})

test('members see each other, and not those of another organization', async () => {
  const grace = await invite(app.owner)
  const eve = await invite(app.owner)
  await eve.must('/organization/create', { name: 'Eve', slug: 'eve' })
  const membersFor = async (by: Person, orgSlug: string) =>
    (await app.client.must('organizationMembers', { orgSlug }, { token: await by.token(orgSlug) })).members
  expect(await membersFor(eve, 'eve')).toMatchObject([{ name: 'Grace', email: eve.email, role: 'owner' }])
  const members = await membersFor(grace, 'acme')
  expect(members).toEqual(await membersFor(app.owner, 'acme'))
  const emails = members.map(({ email }: { email: string }) => email)
  expect(emails).toEqual(emails.toSorted())
  expect(emails).toEqual(expect.arrayContaining([app.owner.email, grace.email]))
  const others = await app.client.call('organizationMembers', { orgSlug: 'eve' }, { token: await grace.token() })
  expect(others.body.error.code).toBe('INVALID_ORG_SCOPE')
  await remove(app.owner, grace)
  expect(JSON.stringify(await membersFor(app.owner, 'acme'))).not.toContain(grace.email)
})

describe('a member who is removed', () => {
  test('loses the session at the next request, which gets the reason once; a browser token gets it each time', async () => {
    const grace = await invite(app.owner)
    const jwt = await grace.token()
    const { accessToken, refreshToken } = await app.client.login(jwt)
    expect([await list(accessToken), await list(jwt)]).toEqual(['ok', 'ok'])
    expect((await remove(app.owner, grace)).status).toBe(200)
    expect(await list(accessToken)).toBe('403 ORG_SCOPE_INVALID')
    expect(await list(accessToken)).toBe('401 UNAUTHORIZED')
    expect(await list(jwt)).toBe('403 ORG_SCOPE_INVALID')
    expect(await list(jwt)).toBe('403 ORG_SCOPE_INVALID')
    expect((await app.client.refresh(refreshToken)).status).toBe(401)
    expect(await list(await grace.token())).toBe('401 UNAUTHORIZED')
  })

  test('gets the reason at the refresh, if that comes first', async () => {
    const grace = await invite(app.owner)
    const { refreshToken } = await app.client.login(await grace.token())
    await remove(app.owner, grace)
    expect((await app.client.refresh(refreshToken)).body.error.code).toBe('ORG_SCOPE_INVALID')
    expect((await app.client.refresh(refreshToken)).body.error.code).toBe('INVALID_REFRESH_TOKEN')
  })

  test('gets nothing once the removal is answered, whatever requests were running', async () => {
    for (let round = 0; round < (isLong ? 10 : 3); round++) {
      const grace = await invite(app.owner)
      const { accessToken } = await app.client.login(await grace.token())
      const before = Array.from({ length: 50 }, () => list(accessToken))
      expect((await remove(app.owner, grace)).status).toBe(200)
      const after = await Promise.all(Array.from({ length: 50 }, () => list(accessToken)))
      expect(after.filter((answer) => answer === 'ok')).toEqual([])
      const answers = [...(await Promise.all(before)), ...after]
      expect(answers.filter((answer) => answer === '403 ORG_SCOPE_INVALID')).toHaveLength(1)
    }
  })

  test('can come back, by signing in again', async () => {
    const grace = await invite(app.owner)
    const { accessToken } = await app.client.login(await grace.token())
    await remove(app.owner, grace)
    expect(await list(accessToken)).toBe('403 ORG_SCOPE_INVALID')
    const id = await invitation(app.owner, grace.email)
    await grace.must('/organization/accept-invitation', { invitationId: id })
    expect(await list(accessToken)).toBe('401 UNAUTHORIZED')
    expect(await list((await app.client.login(await grace.token())).accessToken)).toBe('ok')
  })

  test('keeps other organizations, and other members keep theirs', async () => {
    const grace = await invite(app.owner)
    const other = await invite(app.owner)
    const { accessToken: theirs } = await app.client.login(await other.token())
    const slug = `grace-${crypto.randomUUID()}`
    await grace.must('/organization/create', { name: 'Grace', slug })
    const { accessToken } = await app.client.login(await grace.token())
    await remove(app.owner, grace)
    expect([await list(accessToken, slug), await list(theirs)]).toEqual(['ok', 'ok'])
  })
})

describe('rights', () => {
  test('a member leaves, and is gone at once', async () => {
    const grace = await invite(app.owner)
    const { accessToken } = await app.client.login(await grace.token())
    const { session } = (await grace.get('/get-session')).body as { session: { activeOrganizationId: string } }
    await grace.must('/organization/leave', { organizationId: session.activeOrganizationId })
    expect(await list(accessToken)).toBe('403 ORG_SCOPE_INVALID')
  })

  test('admins remove members but not owners; members remove no one', async () => {
    const admin = await invite(app.owner, 'admin')
    const member = await invite(app.owner)
    expect((await remove(member, admin)).status).toBe(401)
    expect((await remove(admin, app.owner)).status).toBe(400)
    expect((await remove(admin, member)).status).toBe(200)
  })

  test('the only owner stays', async () => {
    expect((await remove(app.owner, app.owner)).status).toBe(400)
    expect(await list(await app.owner.token())).toBe('ok')
  })

  test('slugs never change, names may, and a slug is a label', async () => {
    expect((await app.owner.post('/organization/update', { data: { slug: 'other' } })).status).toBe(400)
    expect((await app.owner.post('/organization/update', { data: { name: 'Acme & Sons' } })).status).toBe(200)
    for (const slug of ['Acme', '-acme', 'a b', '', 'a'.repeat(64)]) {
      expect((await app.owner.post('/organization/create', { name: 'x', slug })).status, slug).toBe(400)
    }
  })

  test('a token names the active organization', async () => {
    const grace = await invite(app.owner)
    const slug = `grace-${crypto.randomUUID()}`
    const { id } = await grace.must('/organization/create', { name: 'Grace', slug })
    expect(await list(await grace.token(), slug)).toBe('ok')
    const organizations = (await grace.get('/organization/list')).body as { id: string; slug: string }[]
    const organizationId = organizations.find((each) => each.id !== id)?.id
    await grace.must('/organization/set-active', { organizationId })
    expect(await list(await grace.token())).toBe('ok')
    expect(await list(await grace.token(), slug)).toBe('403 INVALID_ORG_SCOPE')
  })
})

describe('a token for an organization that its request names', () => {
  async function newOrganization(person: Person): Promise<string> {
    const slug = `named-${crypto.randomUUID()}`
    await person.must('/organization/create', { name: 'Named', slug })
    return slug
  }

  async function refusal(person: Person, query: string): Promise<unknown> {
    const { status, body } = await person.get(`/token?${query}`)
    return { status, body }
  }

  test('is for that organization, whichever is active, and does not change the active one', async () => {
    const grace = await invite(app.owner)
    const slug = await newOrganization(grace)
    const [acme, named] = [await grace.token('acme'), await grace.token(slug)]
    expect([await list(acme), await list(acme, slug)]).toEqual(['ok', '403 INVALID_ORG_SCOPE'])
    expect([await list(named), await list(named, slug)]).toEqual(['403 INVALID_ORG_SCOPE', 'ok'])
    expect(await list(await grace.token(), slug)).toBe('ok')
  })

  test('is refused to anyone who is not a member, in the same way whether or not the organization exists', async () => {
    const grace = await invite(app.owner)
    const taken = await newOrganization(app.owner)
    await app.owner.must('/organization/set-active', { organizationSlug: 'acme' })
    const refused = { status: 403, body: { code: 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION' } }
    const ofTaken = await refusal(grace, `organizationSlug=${taken}`)
    expect(ofTaken).toMatchObject(refused)
    expect(await refusal(grace, 'organizationSlug=nowhere')).toEqual(ofTaken)
    for (const odd of ['organizationSlug=', `organizationSlug=acme&organizationSlug=${taken}`]) {
      expect(await refusal(grace, odd)).toEqual(ofTaken)
    }
  })

  test('is refused after the removal, while other organizations stay; the API refuses an older token', async () => {
    const grace = await invite(app.owner)
    const slug = await newOrganization(grace)
    const before = await grace.token('acme')
    await remove(app.owner, grace)
    expect(await refusal(grace, 'organizationSlug=acme')).toMatchObject({ status: 403 })
    expect(await list(before)).toBe('403 ORG_SCOPE_INVALID')
    expect(await list(await grace.token(slug), slug)).toBe('ok')
  })

  test('is refused to anyone who is signed out', async () => {
    const grace = await invite(app.owner)
    await grace.must('/sign-out')
    expect(await refusal(grace, 'organizationSlug=acme')).toMatchObject({ status: 401 })
  })
})
