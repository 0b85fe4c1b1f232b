/** Deletes organizations at the embedded provider, with their members and invitations. */
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { openInstallation } from '../../src/compose/installation.ts'
import { readConfig } from '../../src/config.ts'
import { secret } from '../../testkit/entries.ts'
import { launchEmbeddedApp, type EmbeddedApp } from '../../testkit/embedded.ts'
import { invitation, invite, Person } from '../../testkit/person.ts'
import { query, queryIdentity, storeSettings } from '../../testkit/store.ts'

const silent = createLog('silent')
/** A service for each test, because one of them stops it. */
let app: EmbeddedApp

beforeEach(async () => {
  app = await launchEmbeddedApp({ ORGANIZATIONS_PER_PERSON: '0' })
  return () => app.close()
})

/** Creates an organization with an owner, a member and a pending invitation. */
async function created(): Promise<{ owner: Person; member: Person; slug: string; id: string; pending: string }> {
  const owner = await invite(app.owner)
  const slug = `o-${crypto.randomUUID()}`
  const { id } = (await owner.must('/organization/create', { name: 'Short-lived', slug })) as { id: string }
  const member = await invite(owner)
  const pending = await invitation(owner, `late-${slug}@example.com`)
  return { owner, member, slug, id, pending }
}

async function remove(owner: Person, slug: string): Promise<number> {
  const token = await owner.token(slug)
  return (await app.client.call('organizationDelete', { orgSlug: slug, confirm: slug }, { token })).status
}

async function slugsOf(person: Person): Promise<string[]> {
  const { body } = await person.get('/organization/list')
  return (body as unknown as { slug: string }[]).map(({ slug }) => slug)
}

async function peopleRows(id: string): Promise<number> {
  const counts = [
    await queryIdentity(app.dataDir, 'select id from organization where id = $1', id),
    await queryIdentity(app.dataDir, 'select id from member where "organizationId" = $1', id),
    await queryIdentity(app.dataDir, 'select id from invitation where "organizationId" = $1', id),
  ]
  return counts.flat().length
}

test('its members and invitations go with it, and other organizations stay', async () => {
  const { owner, member, slug, id, pending } = await created()
  const tokens = [await owner.token(slug), await member.token(slug)]
  const at = { orgSlug: slug, projectSlug: 'shop', stageSlug: 'prod' }
  await app.client.must('write', { ...at, mode: 'upsert', entries: [secret('A', '1')] }, { token: tokens[0] as string })
  for (const token of tokens) await app.client.must('pull', at, { token })
  const login = await app.client.login(tokens[1] as string)
  expect(await peopleRows(id)).toBeGreaterThanOrEqual(4)
  expect(await remove(member, slug)).toBe(403)
  expect(await remove(owner, slug)).toBe(200)
  expect(await peopleRows(id)).toBe(0)
  for (let node = 0; node < 2; node++) {
    for (const token of tokens) expect((await app.client.call('pull', at, { token })).status).toBe(403)
    expect((await app.client.call('pull', at, { token: login.accessToken })).status).toBe(401)
    expect((await app.client.refresh(login.refreshToken)).status).toBe(401)
  }
  await expect(owner.token(slug)).rejects.toThrow('403')
  expect([await slugsOf(owner), await slugsOf(member)]).toEqual([['acme'], []])
  expect((await app.client.call('projects', { orgSlug: 'acme' }, { token: await owner.token('acme') })).status).toBe(
    200,
  )
  const late = new Person(app.url, `late-${slug}@example.com`)
  expect(
    (await late.post('/links/sign-up', { id: pending, name: 'Late', password: 'correct horse battery' })).status,
  ).not.toBe(200)
  const log = await query(
    app.dataDir,
    // Refusals are noted later.
    `select a.action from audit a join organizations o on o.id = a.org_id
     where o.slug = $1 and a.action <> 'refusal' order by a.seq`,
    slug,
  )
  const actions = log.map(({ action }) => action)
  expect(actions.at(-1)).toBe('organization.delete')
  expect(actions).not.toContain('member.remove')
})

test('its slug is not used again, so that nothing finds another organization under it', async () => {
  const { owner, slug } = await created()
  await remove(owner, slug)
  const { status, body } = await owner.post('/organization/create', { name: 'Again', slug })
  expect([status, body.code]).toEqual([400, 'ORGANIZATION_WAS_DELETED'])
  expect((await owner.post('/organization/create', { name: 'Again', slug: `${slug}2` })).status).toBe(200)
})

test('what a stop interrupted is refused at once, and the next cleanup completes it', async () => {
  const { member, slug, id } = await created()
  await app.stop()
  // The state between the two commits: the service has deleted the organization, the provider has not.
  await query(app.dataDir, 'update organizations set deleted_at_ms = 1 where idp_org_id = $1 returning id', id)
  const again = await app.restart()
  onTestFinished(() => again.stop())
  const person = new Person(again.url, member.email)
  expect((await person.signIn()).status).toBe(200)
  const { status, body } = await again.client.call('projects', { orgSlug: slug }, { token: await person.token(slug) })
  expect([status, body.error.code]).toEqual([403, 'ORG_SCOPE_INVALID'])
  await again.stop()
  const environment = { DATA_DIR: app.dataDir, PORT: '0', ...(await storeSettings(app.dataDir)) }
  const config = readConfig(
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [`ROLLKEY_${name}`, value])),
  )
  const { installation, close } = await openInstallation(config, silent)
  expect(await peopleRows(id)).toBeGreaterThanOrEqual(4)
  await installation.identity?.sweep()
  expect(await peopleRows(id)).toBe(0)
  await close()
  const text = `select a.action from audit a join organizations o on o.id = a.org_id where o.slug = $1`
  const actions = (await query(app.dataDir, text, slug)).map(({ action }) => action)
  expect(actions).not.toContain('member.remove')
})
