/**
 * Password guessing is slowed down per account, not only per address, and is visible to operators. Most tests use cheap hashes.
 * Tests with many concurrent attempts use the hashes of the service.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi, type MockInstance } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { Auth } from '../../src/identity/auth.ts'
import { Hashing } from '../../src/identity/hashing.ts'
import { ScryptHasher, type PasswordHasher } from '../../src/identity/password-hasher.ts'
import { SignIns } from '../../src/identity/sign-ins.ts'
import { startTestApp } from '../../testkit/app.ts'
import { auditEntries } from '../../testkit/audit.ts'
import type { Answer } from '../../testkit/client.ts'
import { TestClock } from '../../testkit/clock.ts'
import { useEmbeddedApp } from '../../testkit/embedded.ts'
import { isLong } from '../../testkit/long.ts'
import { goodPassword, invite, Person, resetToken, setUp } from '../../testkit/person.ts'
import { query } from '../../testkit/store.ts'

const clock = new TestClock()
const app = useEmbeddedApp({}, { clock })

afterEach(() => {
  clock.run()
  vi.restoreAllMocks()
})

/** Signs in from an address that no one else has. */
function guess(email: string, password = 'wrong password'): Promise<Answer> {
  return new Person(app.url, email).signIn(password)
}

/** Returns status and waiting time of consecutive guesses. */
async function guesses(count: number, email: string): Promise<string[]> {
  const found: string[] = []
  for (let made = 0; made < count; made++) {
    const { status, headers } = await guess(email)
    found.push(`${status} ${headers.get('retry-after') ?? ''}`.trim())
  }
  return found
}

describe('the password of an account', () => {
  test('is refused for a growing time after five wrong ones, from any address', async () => {
    const grace = await invite(app.owner)
    clock.freezeAt(clock.now())
    expect(await guesses(7, grace.email)).toEqual(['401', '401', '401', '401', '401', '429 2', '429 2'])
    const delayed = await guess(grace.email, goodPassword)
    expect([delayed.status, delayed.body.code, delayed.body.message]).toEqual([
      429,
      'TOO_MANY_WRONG_PASSWORDS',
      'Too many attempts; try again in 2 seconds.',
    ])
    clock.advance(2_000)
    expect(await guesses(2, grace.email)).toEqual(['401', '429 4'])
    clock.advance(4_000)
    expect(await guesses(2, grace.email.toUpperCase())).toEqual(['401', '429 8'])
    clock.advance(8_000)
    expect((await guess(grace.email, goodPassword)).status).toBe(200)
    expect(await guesses(6, grace.email)).toEqual(['401', '401', '401', '401', '401', '429 2'])
  })

  test('is delayed in the same way if there is no account', async () => {
    const grace = await invite(app.owner)
    clock.freezeAt(clock.now())
    const answersOf = async (email: string): Promise<string[]> => {
      const found: string[] = []
      for (let made = 0; made < 6; made++) {
        const { status, text, headers } = await guess(email)
        found.push(`${status} ${text} ${headers.get('retry-after')}`)
      }
      return found
    }
    expect(await answersOf('stranger@example.com')).toEqual(await answersOf(grace.email))
    const rows = await query(app.dataDir, 'select * from password_tries')
    expect(JSON.stringify(rows)).not.toContain('example.com')
  })

  test('is never delayed for more than a few minutes', async () => {
    const { email } = new Person(app.url)
    clock.freezeAt(clock.now())
    await query(app.dataDir, 'delete from password_tries')
    await guess(email)
    await query(app.dataDir, 'update password_tries set tries = 1000')
    expect(await guesses(2, email)).toEqual(['401', '429 256'])
  })

  test.runIf(isLong)('is delayed after a restart, too', async () => {
    const first = await startTestApp({}, { clock })
    const { email } = new Person(first.url)
    clock.freezeAt(clock.now())
    for (let made = 0; made < 5; made++) await new Person(first.url, email).signIn()
    const second = await first.restart()
    onTestFinished(() => second.close())
    expect((await new Person(second.url, email).signIn()).status).toBe(429)
  })

  test('is not delayed in a browser in which the person was signed in, whatever others try', async () => {
    const grace = await invite(app.owner)
    await grace.must('/sign-out')
    clock.freezeAt(clock.now())
    expect((await guesses(6, grace.email)).at(-1)).toBe('429 2')
    expect((await grace.signIn()).status).toBe(200)
    // The browser gives others no more attempts, and itself none at other accounts.
    expect(await guesses(1, grace.email)).toEqual(['429 2'])
    const { email } = new Person(app.url)
    await guesses(5, email)
    clock.advance(1_000)
    expect((await grace.post('/sign-in/email', { email, password: goodPassword })).status).toBe(429)
  })

  test.runIf(isLong)('is not delayed in the browser that set a new one by a link', async () => {
    const grace = await invite(app.owner)
    clock.freezeAt(clock.now())
    await guesses(6, grace.email)
    const token = await resetToken(app.owner, grace)
    const elsewhere = new Person(app.url, grace.email)
    await elsewhere.must('/reset-password', { token, newPassword: 'another good password' })
    expect((await guess(grace.email, 'another good password')).status).toBe(429)
    expect((await elsewhere.signIn('another good password')).status).toBe(200)
  })

  test.runIf(isLong)('is delayed separately when a signed-in person enters it again', async () => {
    const grace = await invite(app.owner)
    const change = { currentPassword: 'wrong password', newPassword: 'another good password' }
    clock.freezeAt(clock.now())
    const statuses: number[] = []
    for (let made = 0; made < 6; made++) {
      clock.advance(100)
      const from = { 'x-forwarded-for': `203.0.113.${made}` }
      statuses.push((await grace.post('/change-password', change, from)).status)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    expect((await guess(grace.email, goodPassword)).status).toBe(200)
  })
})

describe('the password of an account, with the hashes of the service', () => {
  /** The promise for which the hash of a password of no account waits. */
  let beforeHash: Promise<void> = Promise.resolve()
  const scrypt = new ScryptHasher()
  const passwordHasher: PasswordHasher = {
    hash: (password) => beforeHash.then(() => scrypt.hash(password)),
    verify: (check) => scrypt.verify(check),
    close: () => scrypt.close(),
  }
  const real = useEmbeddedApp({ PASSWORD_HASHES: '1' }, { clock, passwordHasher })

  test('is verified', async () => {
    expect((await real.owner.signIn('wrong password')).status).toBe(401)
    expect((await real.owner.signIn()).status).toBe(200)
  })

  test('is tried only five times by many concurrent sign-ins', async () => {
    const { email } = new Person(real.url)
    clock.freezeAt(clock.now())
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => new Person(real.url, email).signIn('wrong password')),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(11)
  })

  test('is refused before it is hashed if too many sign-ins run at once', async () => {
    const hashed = vi.spyOn(Hashing.prototype, 'run')
    const gate = Promise.withResolvers<void>()
    beforeHash = gate.promise
    const answers: Answer[] = []
    const signingIn = Array.from({ length: 30 }, async () => answers.push(await new Person(real.url).signIn()))
    // One is hashed, and 16 wait.
    await expect.poll(() => answers.length).toBe(13)
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(
      new Set(['429 2']),
    )
    gate.resolve()
    await Promise.all(signingIn)
    expect(new Set(answers.slice(13).map(({ status }) => status))).toEqual(new Set([401]))
    expect(hashed).toHaveBeenCalledTimes(17)
    expect(await (await fetch(`${real.url}/metrics`)).text()).toContain(
      'rollkey_sign_ins_total{method="password",outcome="busy"} 13',
    )
  })
})

test('a new password waits for its turn to be hashed', async () => {
  const hashed = vi.spyOn(Hashing.prototype, 'run')
  await invite(app.owner)
  expect(hashed).toHaveBeenCalledOnce()
})

describe('a sign-in that is refused anyway', () => {
  let read: MockInstance<Auth['handle']>

  beforeEach(() => {
    read = vi.spyOn(Auth.prototype, 'handle')
  })

  test('is not read by the library while too many passwords are being hashed', async () => {
    const isFull = vi.spyOn(Hashing.prototype, 'isFull', 'get').mockReturnValue(true)
    expect((await guess('anyone@example.com')).status).toBe(429)
    expect(read).not.toHaveBeenCalled()
    isFull.mockRestore()
    expect((await guess('anyone@example.com')).status).toBe(401)
    expect(read).toHaveBeenCalledOnce()
  })

  test('is not read by the library while its account refuses attempts', async () => {
    const email = 'guessed@example.com'
    clock.freezeAt(clock.now())
    expect(await guesses(6, email)).toEqual(['401', '401', '401', '401', '401', '429 2'])
    read.mockClear()
    expect(await guesses(1, email)).toEqual(['429 2'])
    expect(read).not.toHaveBeenCalled()
    clock.advance(2_000)
    expect(await guesses(1, email)).toEqual(['401'])
    expect(read).toHaveBeenCalledOnce()
  })
})

describe('sign-ins that fail', () => {
  test('appear in the metrics, in the log and in the audit log, without the email address', async () => {
    const noisy = await startTestApp({}, { clock })
    const ada = await setUp(noisy)
    clock.freezeAt(clock.now())
    const { id } = (await ada.get('/get-session')).body.user as { id: string }
    for (let made = 0; made < 6; made++) await new Person(noisy.url, ada.email).signIn('wrong password')
    await new Person(noisy.url, 'stranger@example.com').signIn()
    await ada.signIn()
    await ada.post('/passkey/verify-authentication', { response: {} })
    const text = await (await fetch(`${noisy.url}/metrics`)).text()
    const counted = [...text.matchAll(/^rollkey_sign_ins_total\{(.+)\} (\d+)$/gm)].map(
      ([, labels, count]) => `${labels} ${count}`,
    )
    expect(counted.toSorted()).toEqual([
      'method="passkey",outcome="failed" 1',
      'method="password",outcome="busy" 0',
      'method="password",outcome="delayed" 1',
      'method="password",outcome="failed" 6',
      'method="password",outcome="succeeded" 1',
    ])
    const again = await noisy.restart()
    onTestFinished(() => again.close())
    ada.url = again.url
    const lines = noisy.log.filter((line) => line.includes('sign-ins were refused')).map((line) => JSON.parse(line))
    const logged = new Map<string, number>()
    for (const { level, name, code, count } of lines) {
      const kind = `${level} ${name} ${code}`
      logged.set(kind, (logged.get(kind) ?? 0) + count)
    }
    expect(Object.fromEntries(logged)).toEqual({
      'info passkey failed': 1,
      'info password delayed': 1,
      'info password failed': 6,
    })
    expect(noisy.log.join('')).not.toContain('@example.com')
    const entries = await auditEntries(again.client, 'acme', await ada.token(), { action: 'sign-in.failed' })
    const noted = entries.map(({ actor, how, client, facts }) => ({ actor, how, client, facts }))
    expect(noted[0]).toEqual({ actor: id, how: 'system', client: 'wrong password', facts: { method: 'password' } })
    expect(entries.reduce((sum, { nameCount = 0 }) => sum + nameCount, 0)).toBe(6)
  })

  test('are recorded at their account at most once per minute, and the rest at the stop', async () => {
    const noted: (number | undefined)[] = []
    const own = new TestClock()
    own.freezeAt(own.now())
    const signIns = new SignIns({
      ownerOf: async () => ({ userId: 'user_1', organizations: [] }),
      record: async ({ times }) => void noted.push(times),
      clock: own,
      log: createLog('silent'),
    })
    const fail = (times: number): void => {
      for (let time = 0; time < times; time++) signIns.add('password', 'failed', 'ada@example.com')
    }
    fail(3)
    await signIns.flush()
    fail(2)
    own.advance(59_999)
    await signIns.flush()
    expect(noted).toEqual([3])
    own.advance(1)
    await signIns.flush()
    expect(noted).toEqual([3, 2])
    fail(1)
    await signIns.flush(true)
    expect(noted).toEqual([3, 2, 1])
  })

  test('are recorded before the sign-in that follows them', async () => {
    const person = await invite(app.owner)
    await guess(person.email)
    await person.signIn()
    const id = await person.id()
    const entries = await auditEntries(app.client, 'acme', await app.owner.token())
    const noted = entries.filter(({ actor, action }) => actor === id && action.startsWith('sign-in'))
    expect(noted.map(({ action, facts }) => [action, facts])).toEqual([
      ['sign-in.failed', { method: 'password' }],
      ['sign-in', { method: 'password' }],
    ])
  })

  test('are recorded once by two at the same time, and kept if they cannot be', async () => {
    const noted: (number | undefined)[] = []
    let isAway = true
    const signIns = new SignIns({
      ownerOf: async () => ({ userId: 'user_1', organizations: [] }),
      record: async ({ times }) => {
        await nextTurn()
        if (isAway) throw new Error('The store is away.')
        noted.push(times)
      },
      clock,
      log: createLog('silent'),
    })
    signIns.add('password', 'failed', 'ada@example.com')
    await expect(signIns.flush()).rejects.toThrow('away')
    isAway = false
    await Promise.all([
      signIns.flush(),
      signIns.recordFailed('ada@example.com'),
      signIns.recordFailed('bob@example.com'),
    ])
    expect(noted).toEqual([1])
  })
})
