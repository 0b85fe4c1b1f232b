/** Invitations and password links become invalid when the person who made them loses the right to. */
import { Client } from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { auditEntries } from '../../testkit/audit.ts'
import { cheapHasher } from '../../testkit/cheap-hasher.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { isLong } from '../../testkit/long.ts'
import {
  goodPassword,
  invitation,
  invite,
  memberIdOf,
  membersOf,
  Person,
  remove,
  resetToken,
} from '../../testkit/person.ts'
import { onPostgres, queryIdentity, storeSettings } from '../../testkit/store.ts'

/** The promise for which the hash of a new password waits. */
let beforeHash: Promise<void> = Promise.resolve()
const hasher = { ...cheapHasher, hash: (password: string) => beforeHash.then(() => cheapHasher.hash(password)) }
const app = useEmbeddedApp({}, { passwordHasher: hasher })

// These tests invite more people per minute than one address may.
beforeEach(() => app.owner.changeAddress())

const newPassword = 'another good password'

async function setRole(person: Person, role: string): Promise<void> {
  await app.owner.must('/organization/update-member-role', { memberId: await memberIdOf(app.owner, person), role })
}

async function useReset(token: string): Promise<number> {
  return (await new Person(app.url).post('/reset-password', { token, newPassword })).status
}

/** Creates a person with an account and no organization. */
async function stranger(): Promise<Person> {
  const person = await invite(app.owner)
  await remove(app.owner, person)
  return person
}

function accept(person: Person, invitationId: string): ReturnType<Person['post']> {
  return person.post('/organization/accept-invitation', { invitationId })
}

describe('an invitation', () => {
  const losses = {
    removed: (eve: Person) => remove(app.owner, eve),
    'made a member': (eve: Person) => setRole(eve, 'member'),
  }
  test.each(Object.entries(losses))('becomes invalid when its admin is %s', async (_, lose) => {
    const eve = await invite(app.owner, 'admin')
    const second = await stranger()
    const fresh = new Person(app.url)
    const [known, unknown] = [await invitation(eve, second.email, 'admin'), await invitation(eve, fresh.email)]
    await lose(eve)
    const { status, body } = await accept(second, known)
    expect([status, body.code]).toEqual([410, 'LINK_NOT_VALID'])
    expect((await fresh.post('/links/invitation', { id: unknown })).status).toBe(410)
    const profile = { id: unknown, name: 'Second', password: goodPassword }
    expect((await fresh.post('/links/sign-up', profile)).status).toBe(410)
    expect(await memberIdOf(app.owner, second)).toBe('')
  })

  test('becomes invalid when its admin leaves', async () => {
    const eve = await invite(app.owner, 'admin')
    const second = await stranger()
    const id = await invitation(eve, second.email)
    const { session } = (await eve.get('/get-session')).body as { session: { activeOrganizationId: string } }
    await eve.must('/organization/leave', { organizationId: session.activeOrganizationId })
    expect((await accept(second, id)).status).toBe(410)
  })

  test('that requires an owner becomes invalid when its owner is made an admin, and stays invalid', async () => {
    const eve = await invite(app.owner, 'owner')
    const [one, two] = [await stranger(), await stranger()]
    const [asOwner, asAdmin] = [await invitation(eve, one.email, 'owner'), await invitation(eve, two.email, 'admin')]
    await setRole(eve, 'admin')
    expect([(await accept(one, asOwner)).status, (await accept(two, asAdmin)).status]).toEqual([410, 200])
    await setRole(eve, 'owner')
    expect((await accept(one, asOwner)).status).toBe(410)
    const log = await auditEntries(app.client, 'acme', await app.owner.token(), { action: 'invitation.cancel' })
    expect(log.at(-1)).toMatchObject({ facts: { email: one.email, role: 'owner' } })
  })

  test('is checked at its use, even if nothing canceled it', async () => {
    const eve = await invite(app.owner, 'admin')
    const second = await stranger()
    const id = await invitation(eve, second.email)
    await remove(app.owner, eve)
    await queryIdentity(app.dataDir, `update invitation set status = 'pending' where email = $1`, second.email)
    expect((await accept(second, id)).status).toBe(410)
  })

  test('is accepted before the inviter is removed, or not at all', async () => {
    for (let round = 0; round < (isLong ? 9 : 2); round++) {
      const eve = await invite(app.owner, 'admin')
      const second = await stranger()
      const id = await invitation(eve, second.email)
      const accepting = accept(second, id)
      const removal = await remove(app.owner, eve)
      const atRemoval = await memberIdOf(app.owner, second)
      const { status } = await accepting
      expect([removal.status, atRemoval !== '']).toEqual([200, status === 200])
      expect(await memberIdOf(app.owner, second)).toBe(atRemoval)
    }
  })

  test.runIf(onPostgres)('is not accepted after the removal, at whatever lock the acceptance waits', async () => {
    const eve = await invite(app.owner, 'admin')
    const second = await stranger()
    const id = await invitation(eve, second.email)
    const { DATABASE_URL } = await storeSettings(app.dataDir)
    const blocker = new Client({ connectionString: DATABASE_URL, options: '-c search_path=rollkey_identity' })
    await blocker.connect()
    await blocker.query('begin')
    // A new membership needs this row; the removal of another person does not.
    await blocker.query('select 1 from "user" where email = $1 for update', [second.email])
    // Others use the same server at this time.
    const waits = `select count(*) from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`
    const waiting = async (): Promise<number> => Number((await blocker.query(waits)).rows[0].count)
    const accepting = accept(second, id)
    await expect.poll(waiting).toBeGreaterThan(0)
    let isOver = false
    const removing = remove(app.owner, eve).finally(() => (isOver = true))
    await expect.poll(async () => isOver || (await waiting()) > 1).toBe(true)
    const atRemoval = isOver ? await memberIdOf(app.owner, second) : undefined
    await blocker.query('rollback')
    await blocker.end()
    const [accepted, removal] = await Promise.all([accepting, removing])
    expect(removal.status).toBe(200)
    // If the removal did not wait, it came first.
    const isFirst = atRemoval === undefined
    expect([accepted.status, (await memberIdOf(app.owner, second)) !== '']).toEqual([isFirst ? 200 : 410, isFirst])
  })

  test('makes a person who accepts two at once a member only once', async () => {
    const second = await stranger()
    const first = await invitation(app.owner, second.email)
    const other = await invitation(app.owner, second.email, 'admin')
    // The newer invitation canceled the older one.
    await queryIdentity(app.dataDir, `update invitation set status = 'pending' where email = $1`, second.email)
    const answers = await Promise.all([first, other, first, other].map((id) => accept(second, id)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await membersOf(app.owner)).filter(({ user }) => user.email === second.email)).toHaveLength(1)
  })

  test('has one role: a list is refused, and a stored list counts as its highest role', async () => {
    for (const role of [['member', 'owner'], 'member,owner', ['member'], 'Member', '', null]) {
      const { status } = await app.owner.post('/organization/invite-member', { email: 'list@example.com', role })
      expect(status, JSON.stringify(role)).toBe(400)
      const change = { memberId: await memberIdOf(app.owner, app.owner), role }
      expect((await app.owner.post('/organization/update-member-role', change)).status, JSON.stringify(role)).toBe(400)
    }
    const admin = await invite(app.owner, 'admin')
    const invitee = { email: 'list@example.com', role: 'member' }
    const { id: invitationId } = await admin.must('/organization/invite-member', invitee)
    await queryIdentity(
      app.dataDir,
      `update invitation set role = 'member,owner' where id = $1`,
      invitationId as string,
    )
    expect((await admin.post('/links/invite', { invitationId })).status).toBe(410)
  })
})

describe('a link for a new password', () => {
  test('becomes invalid when its requester is removed or made a member', async () => {
    for (const lose of [(eve: Person) => remove(app.owner, eve), (eve: Person) => setRole(eve, 'member')]) {
      const [eve, sam] = [await invite(app.owner, 'admin'), await invite(app.owner)]
      const token = await resetToken(eve, sam)
      await lose(eve)
      expect(await useReset(token)).toBe(410)
      expect((await sam.signIn()).status).toBe(200)
    }
  })

  test('becomes invalid when its user outranks its requester, and works at equal rank', async () => {
    const [eve, sam] = [await invite(app.owner, 'admin'), await invite(app.owner)]
    const token = await resetToken(eve, sam)
    await setRole(sam, 'owner')
    expect(await useReset(token)).toBe(410)
    await setRole(sam, 'admin')
    expect(await useReset(token)).toBe(200)
  })

  test('becomes invalid when its user joins another organization, or is in none', async () => {
    const sam = await invite(app.owner)
    const token = await resetToken(app.owner, sam)
    await sam.must('/organization/create', { name: 'Sam', slug: `sam-${crypto.randomUUID()}` })
    expect(await useReset(token)).toBe(410)
    const kim = await invite(app.owner)
    const theirs = await resetToken(app.owner, kim)
    await remove(app.owner, kim)
    expect(await useReset(theirs)).toBe(410)
  })

  test('becomes invalid when a newer one is made or the password changes another way', async () => {
    const [eve, sam] = [await invite(app.owner, 'admin'), await invite(app.owner)]
    const [older, newer] = [await resetToken(eve, sam), await resetToken(app.owner, sam)]
    expect(await useReset(older)).toBe(410)
    await sam.must('/change-password', { currentPassword: goodPassword, newPassword: 'a third good password' })
    expect(await useReset(newer)).toBe(410)
  })

  test('is the only one of its user, even if many are made at once', async () => {
    const [eve, sam] = [await invite(app.owner, 'admin'), await invite(app.owner)]
    const links = await Promise.all([eve, app.owner, eve, app.owner, eve, app.owner].map((by) => resetToken(by, sam)))
    const statuses = await Promise.all(links.map(useReset))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 410, 410, 410, 410, 410])
  })

  test('is used before its requester is removed, or not at all', async () => {
    for (let round = 0; round < (isLong ? 9 : 2); round++) {
      const [eve, sam] = [await invite(app.owner, 'admin'), await invite(app.owner)]
      const token = await resetToken(eve, sam)
      // The new password is hashed first, so some removals come before it is set, and the first one always does.
      const removal = Promise.withResolvers<void>()
      if (round === 0) beforeHash = removal.promise
      const using = useReset(token)
      for (let i = 0; i < round; i++) await app.owner.get('/get-session')
      await remove(app.owner, eve)
      removal.resolve()
      const changed = (await sam.signIn(newPassword)).status === 200
      expect([await using, changed]).toEqual(changed ? [200, true] : [410, false])
    }
  })
})
