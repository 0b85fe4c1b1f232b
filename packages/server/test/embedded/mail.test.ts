/** Tests mail: who gets which, by the rights of the moment, once, and never with a value (docs/notifications.md). */
import { StatementSync } from 'node:sqlite'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { msPerDay } from '../../src/base/clock.ts'
import { auditEntries } from '../../testkit/audit.ts'
import { Canaries } from '../../testkit/canaries.ts'
import { TestClock } from '../../testkit/clock.ts'
import { launchEmbeddedApp } from '../../testkit/embedded.ts'
import { secret } from '../../testkit/entries.ts'
import { useFixture } from '../../testkit/fixture.ts'
import { HookReceiver } from '../../testkit/hook-receiver.ts'
import { MailServer, type ReceivedMail } from '../../testkit/mail-server.ts'
import { goodPassword, inLink, invite, Person } from '../../testkit/person.ts'
import { query, storedText } from '../../testkit/store.ts'

const prod = { projectSlug: 'shop', stageSlug: 'prod' }
const clock = new TestClock()
const mail = new MailServer()
const canaries = new Canaries()
const value = canaries.plant('a value')
const app = useFixture(async () => {
  await mail.start()
  const opened = await launchEmbeddedApp({ ...mail.settings, HOOK_NETWORKS: '127.0.0.0/8' }, { clock })
  return { ...opened, close: () => Promise.all([opened.close(), mail.stop()]) }
})
let grace: Person
let bob: Person

async function must(name: Parameters<typeof app.client.must>[0], input: object = {}, by = app.owner) {
  return app.client.must(name, { orgSlug: 'acme', ...input }, { token: await by.token('acme') })
}

async function grant(whom: Person, role: string, at: object = prod): Promise<void> {
  await must('accessGrant', { principal: { kind: 'user', id: await whom.id() }, role, ...at })
}

/** Grace approves, Ada and Bob write, and only Ada and Grace see anything of the stage. */
beforeAll(async () => {
  grace = await invite(app.owner)
  bob = await invite(app.owner)
  for (const stageSlug of ['prod', 'dev'])
    await must('write', { projectSlug: 'shop', stageSlug, mode: 'upsert', entries: [secret('A', value)] })
  canaries.add('a token', await app.owner.token('acme'))
  canaries.add('a service token', (await must('tokenCreate', { name: 'canary', expiresInDays: 1 })).token)
  await must('evaluate', { ...prod, name: 'A', seed: canaries.plant('a seed') })
  await must('organizationUpdate', { defaultRole: 'none' })
  await grant(app.owner, 'developer')
  await must('stageProtect', { ...prod, isProtected: true, approvals: 1 })
})

beforeEach(async () => {
  await grant(grace, 'releaser')
  await settled()
  mail.mails.length = 0
})

/** No mail, no row of the outbox and no line of the log has a value, a seed or a token. */
afterEach(async () => {
  for (const { subject, text, html, raw } of mail.mails)
    canaries.expectNoneIn('a mail', [subject, text, html, raw].join('\n'))
  canaries.expectNoneIn('a row of a mail', JSON.stringify(await query(app.dataDir, 'select * from mails')))
  canaries.expectNoneIn('the log', app.log.join('\n'))
})

/** Begins periodic work, and returns what a query finds. */
function worked(sql: string): ReturnType<typeof query> {
  clock.doPeriodicWork()
  return query(app.dataDir, sql)
}

/** Reads the audit log to its end. */
async function read(): Promise<void> {
  const positions = 'audit_heads a left join mail_positions p on p.org_id = a.org_id'
  const behind = `select 1 from ${positions} where p.position is null or p.position < a.seq`
  await expect.poll(() => worked(behind)).toEqual([])
}

/** Does something later. The provider goes by the clock of the machine, so that its tokens do not last until then. */
async function later(ms: number, work: () => Promise<void>): Promise<void> {
  clock.advance(ms)
  await work()
  clock.advance(-ms)
}

/** Sends all mails that wait. */
async function settled(): Promise<void> {
  await read()
  await later(2 * 60_000, async () => {
    await expect.poll(() => worked('select id from mails where ended_at_ms is null')).toEqual([])
  })
}

const propose = async (by = app.owner, more: object = {}) =>
  must('changePropose', { ...prod, reason: 'why', entries: [secret('A', value)], ...more }, by) as Promise<{
    id: string
    digest: string
  }>

/** Returns the statements about an address that the service runs on the embedded stores during some work. */
async function recorded<T>(address: string, work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  const statements: string[] = []
  const spies = (['all', 'get', 'run'] as const).map((method) => {
    const original = StatementSync.prototype[method] as (...params: unknown[]) => never
    return vi.spyOn(StatementSync.prototype, method).mockImplementation(function (this: StatementSync, ...params) {
      if (JSON.stringify(params).includes(address)) statements.push(this.sourceSQL)
      return original.apply(this, params)
    })
  })
  try {
    return { result: await work(), statements }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Returns a row without the times in it. */
const timeless = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !name.endsWith('_ms')))

const subjects = (): [string, string][] => mail.mails.map(({ to, subject }) => [to, subject])

test('a proposal brings a mail to those who can approve it, and its end to those who made it', async () => {
  const { id, digest } = await propose()
  await settled()
  expect(subjects()).toEqual([[grace.email, '[Rollkey] shop/prod: a change waits for your approval']])
  const [{ text, html, link, raw } = { text: '', html: '', link: '', raw: '' }] = mail.mails
  expect(text).toContain(`${app.owner.email} proposed a change of A at shop/prod.`)
  expect(text).toContain('/o/acme/account\n')
  expect(link).toBe(`http://localhost:${new URL(app.url).port}/o/acme/changes/${id}?project=shop&stage=prod`)
  expect(html).toContain(`<a href="${link.replace('&', '&amp;')}">`)
  expect(html.match(/https?:/g)).toHaveLength(2)
  expect(raw).toContain('Auto-Submitted: auto-generated')
  await must('changeReview', { ...prod, id, digest, verdict: 'approve' }, grace)
  await must('changeApply', { ...prod, id }, grace)
  await settled()
  expect(subjects().slice(1)).toEqual([[app.owner.email, '[Rollkey] shop/prod: your change was applied']])
  expect(mail.mails[1]?.text).toContain(`was applied by ${grace.email}`)
})

test('a change that fails at its time brings a mail to those who made it', async () => {
  await propose(app.owner, { applyAtMs: clock.now() + 3_600_000 })
  await settled()
  await later(3_600_000, async () => {
    await expect.poll(() => query(app.dataDir, `select 1 from audit where action = 'change.fail'`)).toHaveLength(1)
  })
  await settled()
  expect(subjects()).toContainEqual([app.owner.email, '[Rollkey] shop/prod: your change could not be applied'])
})

describe('who gets a mail is decided when it is sent:', () => {
  test.each([
    ['no one who may not approve anymore', async () => grant(grace, 'viewer')],
    ['no one for a change that waits no longer', async (id: string) => must('changeWithdraw', { ...prod, id })],
  ])('%s', async (_, change) => {
    const { id } = await propose()
    await read()
    await change(id)
    await settled()
    expect(mail.mails).toEqual([])
    const dropped = await query(app.dataDir, `select outcome from mails where thing = $1`, id)
    expect(dropped).toEqual([{ outcome: 'dropped' }])
  })
})

test('many at once are one mail', async () => {
  const ids = []
  for (let count = 0; count < 7; count++) ids.push((await propose()).id)
  await settled()
  expect(subjects()).toEqual([[grace.email, '[Rollkey] acme: 7 things for you']])
  for (const id of ids) expect(mail.mails[0]?.text).toContain(`/o/acme/changes/${id}`)
  for (const id of ids) await must('changeWithdraw', { ...prod, id })
})

test('a mail that may not have arrived is sent again under its Message-ID', async () => {
  mail.breaksOff = true
  await propose()
  await read()
  await later(61_000, async () => {
    await expect.poll(() => worked('select attempts from mails where ended_at_ms is null')).toEqual([{ attempts: 1 }])
  })
  await settled()
  expect(mail.mails).toHaveLength(2)
  expect(new Set(mail.mails.map(({ messageId }) => messageId)).size).toBe(1)
  expect(mail.mails[0]?.messageId).toMatch(/^<mai_[\w-]+@localhost>$/)
})

test('a mail whose recipient is refused for good is set aside, with the reason', async () => {
  mail.refusal = 550
  const { id } = await propose()
  await settled()
  mail.refusal = undefined
  expect(await query(app.dataDir, `select outcome, failure from mails where thing = $1`, id)).toEqual([
    { outcome: 'set aside', failure: 'EENVELOPE, status 550' },
  ])
  expect(app.log.join('')).not.toContain(grace.email)
})

test('a secret that is due brings one mail to its owner, or to those who manage the project', async () => {
  const declare = (declaration: object) => must('declarationSet', { projectSlug: 'shop', declarations: [declaration] })
  const shop = { projectSlug: 'shop' }
  await grant(app.owner, 'maintainer', shop)
  await declare({ name: 'A', rotateEveryDays: 1, owner: grace.email })
  await later(1.5 * msPerDay, async () => {
    for (let round = 0; round < 2; round++) {
      await expect.poll(() => worked(`select 1 from mails where kind = 'secret'`)).toHaveLength(2)
      await settled()
    }
  })
  // She sees nothing of the other stage.
  expect(new Map(subjects())).toEqual(
    new Map([
      [grace.email, '[Rollkey] shop/prod: A is due for another value'],
      [app.owner.email, '[Rollkey] shop/dev: A is due for another value'],
    ]),
  )
  expect(mail.mails).toHaveLength(2)
  await declare({ name: 'A', owner: grace.email })
  await must('accessRevoke', { principal: { kind: 'user', id: await app.owner.id() }, ...shop })
})

test('a service token that ends within seven days brings one mail to the one who made it', async () => {
  await must('tokenCreate', { name: 'ci', ...prod, role: 'reader', expiresInDays: 8 })
  await must('tokenCreate', { name: 'later', ...prod, role: 'reader', expiresInDays: 10 })
  await later(1.5 * msPerDay, async () => {
    for (let round = 0; round < 2; round++) {
      await expect.poll(() => worked(`select 1 from mails where kind = 'token'`)).toHaveLength(1)
      await settled()
    }
  })
  expect(subjects()).toEqual([[app.owner.email, '[Rollkey] A service token ends soon: ci']])
})

test('a webhook that was switched off brings a mail to those who manage the organization', async () => {
  const receiver = new HookReceiver(clock)
  await receiver.start()
  receiver.failureMode = { status: 410 }
  await must('hookCreate', { name: 'Deploys', url: `${receiver.url}/hook` })
  await grant(bob, 'viewer')
  await expect.poll(() => worked(`select 1 from audit where action = 'hook.off'`)).toHaveLength(1)
  await settled()
  await receiver.stop()
  expect(subjects()).toEqual([[app.owner.email, '[Rollkey] A webhook was switched off: Deploys']])
})

describe('an account', () => {
  const newPassword = 'another good password'
  test('is invited by a link that is in one mail and nowhere else', async () => {
    app.owner.changeAddress()
    const invited = new Person(app.url, 'new@example.com')
    const { id } = await app.owner.must('/organization/invite-member', { email: 'New@Example.com', role: 'member' })
    const waiting = await storedText(app.dataDir)
    await settled()
    expect(subjects()).toEqual([[invited.email, '[Rollkey] You are invited to acme']])
    const [{ text, link }] = mail.mails as [ReceivedMail]
    expect(text).toContain(`${app.owner.email} invites you`)
    expect(link).toContain('/invitation#id=')
    const secrets = new Canaries()
    secrets.add('the link of the invitation', inLink(link, 'id').split('.')[1] ?? '')
    for (const stored of [waiting, await storedText(app.dataDir), app.log.join('')])
      secrets.expectNoneIn('the store or the log', stored)
    expect(await query(app.dataDir, 'select link from mails where thing = $1', String(id))).toEqual([{ link: null }])
    await invited.must('/links/sign-up', { id: inLink(link, 'id'), name: 'Nora', password: goodPassword })
    await invited.must('/organization/accept-invitation', { invitationId: inLink(link, 'id') })
  })

  test('gets a link that sets a new password, which is in its one mail and works once', async () => {
    const hugo = await invite(app.owner)
    const hugoId = await hugo.id()
    const anyone = new Person(app.url)
    await anyone.must('/links/forgotten', { email: hugo.email.toUpperCase() })
    await settled()
    expect(subjects()).toContainEqual([hugo.email, '[Rollkey] Set a new password'])
    const token = inLink(mail.to(hugo.email).at(-1)?.link, 'token')
    const resets = `select outcome, link from mails where kind = 'reset' and recipient = $1`
    expect(await query(app.dataDir, resets, `email:${hugo.email}`)).toEqual([{ outcome: 'sent', link: null }])
    expect(mail.mails.filter(({ raw, text }) => (raw + text).includes(token))).toHaveLength(1)
    const secrets = new Canaries()
    secrets.add('the token of the link', token)
    for (const stored of [await storedText(app.dataDir), app.log.join('')])
      secrets.expectNoneIn('the store or the log', stored)
    await anyone.must('/reset-password', { token, newPassword })
    expect((await anyone.post('/reset-password', { token, newPassword })).status).toBe(410)
    const entries = await auditEntries(app.client, 'acme', await app.owner.token('acme'), { action: 'password.link' })
    const entry = { how: 'system', client: 'reset by mail', facts: { userId: hugoId } }
    expect(entries).toContainEqual(expect.objectContaining(entry))
  })

  test('that does not exist gets the same answer after the same statements about it, waits as the same row, and gets no mail', async () => {
    const anyone = new Person(app.url)
    const forgotten = async (email: string): Promise<unknown> => {
      const { result, statements } = await recorded(email, () => anyone.post('/links/forgotten', { email }))
      const [row] = await query(
        app.dataDir,
        `select * from mails where kind = 'reset' and recipient = $1`,
        `email:${email}`,
      )
      const { id: _, recipient: __, thing: ___, ...rest } = row ?? {}
      return { answer: `${result.status} ${result.text}`, statements, row: timeless(rest) }
    }
    await forgotten('first@example.com')
    const unknown = await forgotten('no-one@example.com')
    expect(await forgotten(bob.email)).toEqual(unknown)
    expect(unknown).toMatchObject({
      statements: expect.arrayContaining([expect.stringContaining('insert into mails')]),
    })
    await settled()
    expect(subjects()).toEqual([[bob.email, '[Rollkey] Set a new password']])
  })

  test('gets three links an hour, and the answer does not say so', async () => {
    const anyone = new Person(app.url)
    for (let count = 0; count < 5; count++) {
      expect((await anyone.post('/links/forgotten', { email: app.owner.email })).status).toBe(200)
      await settled()
    }
    expect(mail.to(app.owner.email)).toHaveLength(3)
    // The last one voids those before it.
    const [first, , third] = mail.mails.map(({ link }) => inLink(link, 'token'))
    expect((await anyone.post('/links/password', { token: first })).status).toBe(410)
    expect((await anyone.post('/links/password', { token: third })).status).toBe(200)
  })

  test('gets a mail about a sign-in in another browser, once for each', async () => {
    const other = new Person(app.url, bob.email)
    await other.signIn()
    await other.must('/sign-out')
    await other.signIn()
    await settled()
    expect(subjects()).toEqual([[bob.email, '[Rollkey] New sign-in to your account']])
  })
})

test('a mail that a person does not want is not sent', async () => {
  const choices = async (by: Person) => (await by.get('/mails')).body.mails as { kind: string; isOn: boolean }[]
  const isOn = async () => (await choices(grace)).map(({ kind, isOn: on }) => `${kind} ${on ? 'on' : 'off'}`)
  expect(await isOn()).toEqual(['approval on', 'applied on', 'failed on', 'token on', 'secret on', 'hook on'])
  await grace.must('/mails/choose', { off: ['approval'] })
  expect((await isOn())[0]).toBe('approval off')
  await propose()
  await settled()
  expect(mail.mails).toEqual([])
  expect((await grace.post('/mails/choose', { off: ['reset'] })).body).toMatchObject({ code: 'UNKNOWN_MAIL' })
  await grace.must('/mails/choose', { off: [] })
  expect((await new Person(app.url).get('/mails')).status).toBe(401)
})

test('links are passed on by hand only, if the setting says so', async () => {
  const other = await launchEmbeddedApp({ ...mail.settings, MAIL_RESETS: 'no' })
  onTestFinished(() => other.close())
  const { status, body } = await new Person(other.url).post('/links/forgotten', { email: other.owner.email })
  expect([status, body]).toMatchObject([404, { code: 'NO_MAIL' }])
})
