/** A second factor of passwords: required at each sign-in with the password, used once, and hard to guess. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ScryptHasher } from '../../src/identity/password-hasher.ts'
import { totpAt } from '../../testkit/authenticator.ts'
import { cheapHasher } from '../../testkit/cheap-hasher.ts'
import type { Answer } from '../../testkit/client.ts'
import { auditEntries } from '../../testkit/audit.ts'
import { TestClock } from '../../testkit/clock.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { goodPassword, inLink, invite, membersOf, Person } from '../../testkit/person.ts'
import { runMain } from '../../testkit/process.ts'
import { query, queryIdentity } from '../../testkit/store.ts'

const clock = new TestClock()
const app = useEmbeddedApp({}, { clock })
const stepMs = 30_000

interface WithFactor {
  readonly person: Person
  /** The address that the app shows as a QR code. */
  readonly uri: string
  readonly recoveryCodes: readonly string[]
}

/** Returns the code of now. Each one works once, so a step passes first. */
function nextCode(uri: string): string {
  clock.advance(stepMs)
  return totpAt(uri, clock.now())
}

/** Moves to a time at which the codes of now and of the two steps before and after differ, and returns them. */
function differentCodes(uri: string): readonly [string, string, string, string, string] {
  const codes = [-2, -1, 0, 1, 2].map((steps) => totpAt(uri, clock.now() + steps * stepMs))
  if (new Set(codes).size === codes.length) return codes as [string, string, string, string, string]
  clock.advance(stepMs)
  return differentCodes(uri)
}

/** Returns a code that is none of now, nor of the neighboring steps. */
function wrongCode(uri: string): string {
  const right = [-1, 0, 1].map((steps) => totpAt(uri, clock.now() + steps * stepMs))
  return ['000000', '000001', '000002', '000003'].find((each) => !right.includes(each)) ?? ''
}

async function withFactor(): Promise<WithFactor> {
  const person = await invite(app.owner)
  const { uri } = (await person.must('/second-factor/start')) as { uri: string }
  const { recoveryCodes } = (await person.must('/second-factor/enable', { code: nextCode(uri) })) as {
    recoveryCodes: string[]
  }
  return { person, uri, recoveryCodes }
}

/** Signs in with the password and a code from a browser and an address that no one else has. */
function signIn({ email }: Person, code?: string, password = goodPassword): Promise<Answer> {
  return new Person(app.url, email).post('/sign-in/email', { email, password, ...(code !== undefined && { code }) })
}

async function outcomeOf(answer: Promise<Answer>): Promise<string> {
  const { status, body } = await answer
  return status === 200 ? '200' : `${status} ${body.code}`
}

/** Checks the stored hash as the versions did that knew no second factor. */
async function olderNodeAccepts(person: Person, password: string): Promise<boolean> {
  const [row] = await queryIdentity(app.dataDir, `select password from account where "userId" = $1`, await person.id())
  return cheapHasher.verify({ hash: String(row?.['password']), password })
}

/** Returns the successful sign-ins so far, by method. */
async function signInCounts(): Promise<Readonly<Record<string, number>>> {
  // The service collects its metrics once a second.
  clock.advance(2_000)
  const text = await (await fetch(`${app.url}/metrics`)).text()
  const lines = text.matchAll(/^rollkey_sign_ins_total\{method="(.+)",outcome="succeeded"\} (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, method, count]) => [method, Number(count)]))
}

beforeEach(() => clock.freezeAt(clock.now()))

describe('a sign-in with a password', () => {
  test('needs a code once the second factor is on, and none before', async () => {
    const person = await invite(app.owner)
    const { uri } = (await person.must('/second-factor/start')) as { uri: string }
    expect(uri).toMatch(/^otpauth:\/\/totp\/Rollkey:/)
    expect(await outcomeOf(signIn(person))).toBe('200')
    expect(await outcomeOf(person.post('/second-factor/enable', { code: wrongCode(uri) }))).toBe('401 WRONG_CODE')
    expect(await outcomeOf(signIn(person))).toBe('200')
    await person.must('/second-factor/enable', { code: nextCode(uri) })
    expect(await outcomeOf(signIn(person))).toBe('403 SECOND_FACTOR_REQUIRED')
    expect(await outcomeOf(signIn(person, nextCode(uri)))).toBe('200')
  })

  test('has no session, cookie or token before the code is right', async () => {
    const { person, uri } = await withFactor()
    for (const code of [undefined, wrongCode(uri), '', 'x'.repeat(100)]) {
      const browser = new Person(app.url, person.email)
      const { headers, status } = await browser.post('/sign-in/email', {
        email: person.email,
        password: goodPassword,
        code,
      })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers.getSetCookie().filter((line) => !/max-age=0/i.test(line))).toEqual([])
      expect((await browser.get('/token')).status).toBe(401)
    }
    const id = await person.id()
    const sessions = await queryIdentity(app.dataDir, `select id from session where "userId" = $1`, id)
    expect(sessions).toHaveLength(1)
  })

  test('says nothing about the second factor before the password is right', async () => {
    const { person, uri } = await withFactor()
    const { person: other } = { person: await invite(app.owner) }
    const wrong = await signIn(person, nextCode(uri), 'wrong password')
    const ofOther = await signIn(other, undefined, 'wrong password')
    expect([wrong.status, wrong.text]).toEqual([ofOther.status, ofOther.text])
  })

  test('takes the codes of the neighboring steps, since clocks differ, and no others', async () => {
    const { person, uri } = await withFactor()
    clock.advance(10 * stepMs)
    const [tooOld, last, , next, tooNew] = differentCodes(uri)
    expect(await outcomeOf(signIn(person, tooOld))).toBe('401 WRONG_CODE')
    expect(await outcomeOf(signIn(person, tooNew))).toBe('401 WRONG_CODE')
    expect(await outcomeOf(signIn(person, last))).toBe('200')
    expect(await outcomeOf(signIn(person, next))).toBe('200')
  })

  test('takes each code once, also of many sign-ins at once, and none that is older than the last', async () => {
    const { person, uri } = await withFactor()
    clock.advance(10 * stepMs)
    const [, older, code] = differentCodes(uri)
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcomeOf(signIn(person, code))))
    expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(1)
    expect(await outcomeOf(signIn(person, older))).toBe('401 WRONG_CODE')
  })

  test('takes each recovery code once, however it is written, and says how many are left', async () => {
    const { person, uri, recoveryCodes } = await withFactor()
    expect(new Set(recoveryCodes).size).toBe(10)
    const [first = '', second = ''] = recoveryCodes
    const outcomes = await Promise.all([first, second, first].map((code) => outcomeOf(signIn(person, code))))
    expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(2)
    expect(await outcomeOf(signIn(person, first))).toBe('401 WRONG_CODE')
    const third = recoveryCodes[2]?.replace('-', ' ').toUpperCase()
    expect(await outcomeOf(signIn(person, third))).toBe('200')
    await person.post('/sign-in/email', { email: person.email, password: goodPassword, code: nextCode(uri) })
    expect((await person.get('/second-factor')).body).toEqual({ isOn: true, recoveryCodesLeft: 7 })
  })

  test('is refused for a growing time after five wrong codes, from any address', async () => {
    const { person, uri } = await withFactor()
    for (let made = 0; made < 5; made++) expect((await signIn(person, wrongCode(uri))).status).toBe(401)
    const delayed = await signIn(person, totpAt(uri, clock.now()))
    expect([delayed.status, delayed.body.code, delayed.headers.get('retry-after')]).toEqual([
      429,
      'TOO_MANY_WRONG_CODES',
      '2',
    ])
    // A stranger without the password does not add to the count.
    await signIn(person, '000000', 'wrong password')
    expect(await outcomeOf(signIn(person, nextCode(uri)))).toBe('200')
  })

  test('counts as a sign-in once the code is right', async () => {
    const { person, uri } = await withFactor()
    const before = await signInCounts()
    await signIn(person)
    await signIn(person, wrongCode(uri))
    expect(await signInCounts()).toEqual(before)
    await signIn(person, nextCode(uri))
    expect(await signInCounts()).toEqual({ ...before, code: (before['code'] ?? 0) + 1 })
  })

  test('is recorded after the wrong codes before it', async () => {
    const { person, uri } = await withFactor()
    await signIn(person, wrongCode(uri))
    await signIn(person, nextCode(uri))
    const id = await person.id()
    const text = `select action from audit where actor = $1 and action like 'sign-in%' order by seq`
    const actions = await query(app.dataDir, text, id)
    expect(actions.slice(-2)).toEqual([{ action: 'sign-in.failed' }, { action: 'sign-in' }])
  })

  test('confirms the person only with a code', async () => {
    const { person, uri } = await withFactor()
    expect(await outcomeOf(person.signIn())).toBe('403 SECOND_FACTOR_REQUIRED')
    const withCode = { email: person.email, password: goodPassword, code: nextCode(uri) }
    expect(await outcomeOf(person.post('/sign-in/email', withCode))).toBe('200')
  })
})

describe('the second factor', () => {
  test.each([
    '/second-factor/start',
    '/second-factor/enable',
    '/second-factor/recovery-codes',
    '/second-factor/remove',
  ])('%s needs a session and a fresh confirmation', async (path) => {
    expect((await new Person(app.url).post(path, { code: '000000' })).status).toBe(401)
    const person = await invite(app.owner)
    const at = new Date(Date.now() - 20 * 60_000).toISOString()
    await queryIdentity(app.dataDir, `update session set "createdAt" = $1 where "userId" = $2`, at, await person.id())
    expect(await outcomeOf(person.post(path, { code: '000000' }))).toBe('403 CONFIRMATION_REQUIRED')
  })

  test('ends the other sessions of the person when it is turned on', async () => {
    const person = await invite(app.owner)
    const other = new Person(app.url, person.email)
    await other.signIn()
    const { uri } = (await person.must('/second-factor/start')) as { uri: string }
    await person.must('/second-factor/enable', { code: nextCode(uri) })
    expect((await other.get('/token')).status).toBe(401)
    expect((await person.get('/token')).status).toBe(200)
  })

  test('is not replaced while it is on, and its recovery codes are', async () => {
    const { person, recoveryCodes } = await withFactor()
    expect(await outcomeOf(person.post('/second-factor/start'))).toBe('409 SECOND_FACTOR_IS_ON')
    expect(await outcomeOf(person.post('/second-factor/enable', { code: '000000' }))).toBe('409 SECOND_FACTOR_IS_ON')
    const { recoveryCodes: renewed } = (await person.must('/second-factor/recovery-codes')) as {
      recoveryCodes: string[]
    }
    expect(await outcomeOf(signIn(person, recoveryCodes[0]))).toBe('401 WRONG_CODE')
    expect(await outcomeOf(signIn(person, renewed[0]))).toBe('200')
  })

  test('stays when a link sets a new password, and when the password changes', async () => {
    const { person, uri } = await withFactor()
    const member = (await membersOf(app.owner)).find(({ user }) => user.email === person.email)
    const { url } = (await app.owner.must('/links/reset', { memberId: member?.id })) as { url: string }
    const stranger = new Person(app.url, person.email)
    const newPassword = 'another good password'
    await stranger.must('/reset-password', { token: inLink(url, 'token'), newPassword })
    expect(await outcomeOf(signIn(person, undefined, newPassword))).toBe('403 SECOND_FACTOR_REQUIRED')
    await person.must('/sign-in/email', { email: person.email, password: newPassword, code: nextCode(uri) })
    await person.must('/change-password', { currentPassword: newPassword, newPassword: goodPassword })
    expect(await outcomeOf(signIn(person))).toBe('403 SECOND_FACTOR_REQUIRED')
  })

  test('makes a node of an older version refuse the password, until it is removed', async () => {
    const { person, uri } = await withFactor()
    const newPassword = 'another good password'
    expect(await olderNodeAccepts(app.owner, goodPassword)).toBe(true)
    expect(await olderNodeAccepts(person, goodPassword)).toBe(false)
    await person.must('/change-password', { currentPassword: goodPassword, newPassword })
    expect(await olderNodeAccepts(person, newPassword)).toBe(false)
    expect((await signIn(person, nextCode(uri), newPassword)).status).toBe(200)
    await person.must('/second-factor/remove')
    expect(await olderNodeAccepts(person, newPassword)).toBe(true)
  })

  test('makes the hasher of an older version refuse the password, and not fail', async () => {
    const hasher = new ScryptHasher()
    onTestFinished(() => hasher.close())
    const hash = await hasher.hash(goodPassword)
    expect(await hasher.verify({ hash, password: goodPassword })).toBe(true)
    expect(await hasher.verify({ hash: `second-factor:${hash}`, password: goodPassword })).toBe(false)
  })

  test('leaves the password links of the person as they are', async () => {
    const { person } = await withFactor()
    const member = (await membersOf(app.owner)).find(({ user }) => user.email === person.email)
    const { url } = (await app.owner.must('/links/reset', { memberId: member?.id })) as { url: string }
    await person.must('/second-factor/remove')
    const reset = { token: inLink(url, 'token'), newPassword: goodPassword }
    expect(await outcomeOf(person.post('/reset-password', reset))).toBe('200')
  })

  test('needs a password', async () => {
    const person = await invite(app.owner)
    await queryIdentity(app.dataDir, `update account set password = null where "userId" = $1`, await person.id())
    expect(await outcomeOf(person.post('/second-factor/start'))).toBe('409 PASSWORD_MISSING')
  })

  test('is removed by the person, and then the password is enough', async () => {
    const { person } = await withFactor()
    await person.must('/second-factor/remove')
    expect((await person.get('/second-factor')).body).toEqual({ isOn: false, recoveryCodesLeft: 0 })
    expect(await outcomeOf(signIn(person))).toBe('200')
  })

  test('is removed by the operator from someone who lost it, and then the password is enough', async () => {
    const { person } = await withFactor()
    const remove = (email: string) => runMain({ DATA_DIR: app.dataDir }, ['second-factor', 'remove', email])
    expect(JSON.parse((await remove(person.email)).stdout)).toEqual({ removed: true })
    expect(await outcomeOf(signIn(person))).toBe('200')
    expect(JSON.parse((await remove(person.email)).stdout)).toEqual({ removed: false })
    expect((await remove('no-one@example.com')).stderr).toContain('No account has this email address')
  })

  test('is in the audit log: when it is added, used, guessed at and removed', async () => {
    const { person, uri, recoveryCodes } = await withFactor()
    await signIn(person, nextCode(uri))
    await signIn(person, recoveryCodes[0])
    await person.must('/second-factor/recovery-codes')
    await person.must('/second-factor/remove')
    const id = await person.id()
    clock.freezeAt(Date.now())
    const entries = await auditEntries(app.client, 'acme', await app.owner.token())
    const own = entries
      .filter(({ actor }) => actor === id)
      .map(({ action, facts }) => `${action} ${facts?.method ?? ''}`)
    expect(own.slice(own.indexOf('second-factor.add '))).toEqual([
      'second-factor.add ',
      'sign-in password and code',
      'sign-in password and recovery code',
      'second-factor.codes ',
      'second-factor.remove ',
    ])
  })

  test('of members is shown to owners and admins, and to no one else', async () => {
    const { person } = await withFactor()
    const without = await invite(app.owner)
    const [organization] = (await app.owner.get('/organization/list')).body as unknown as { id: string }[]
    const path = `/company/members?organizationId=${organization?.id}`
    const { body } = await app.owner.get(path)
    const members = body.members as { userId: string; hasSecondFactor: boolean }[]
    const ids = members.filter(({ hasSecondFactor }) => hasSecondFactor).map(({ userId }) => userId)
    expect(ids).toContain(await person.id())
    expect(ids).not.toContain(await without.id())
    expect(await outcomeOf(without.get(path))).toBe('403 FORBIDDEN')
    expect(await outcomeOf(app.owner.get('/company/members?organizationId=other'))).toBe('403 FORBIDDEN')
  })

  test('leaves no secret and no code in the clear, in the store or the log', async () => {
    const { person, uri, recoveryCodes } = await withFactor()
    await signIn(person, recoveryCodes[0])
    const stored = JSON.stringify(await queryIdentity(app.dataDir, `select * from "secondFactor"`))
    const secret = new URL(uri).searchParams.get('secret') ?? ''
    const written = stored + app.log.join('\n')
    for (const code of [...recoveryCodes, ...recoveryCodes.map((each) => each.replace('-', '')), secret])
      expect(written).not.toContain(code)
  })
})
