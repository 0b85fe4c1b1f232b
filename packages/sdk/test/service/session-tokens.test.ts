/** The session of the command line against the real service: one refresh for all processes, and the state after failures. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newUser } from '../../../server/testkit/client.ts'
import { useFolder } from '../../../server/testkit/folder.ts'
import { isLong } from '../../../server/testkit/long.ts'
import type { TestUser } from '../../../server/testkit/provider.ts'
import { useTestEnv } from '../../../server/testkit/test-env.ts'
import { openCredentials, sessionTokens, type Credentials, type Session } from '../../src/node/index.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
const testEnv = useTestEnv()
const root = useFolder()

/** Returns a user who is logged in on a separate machine. */
interface Login {
  readonly user: TestUser
  readonly env: { readonly ROLLKEY_CONFIG_DIR: string }
  readonly credentials: Credentials
  readonly session: Session
}

// A minute decides here, which a slow machine may take.
beforeEach(() => testEnv.clock.freezeAt(testEnv.clock.now()))
afterEach(() => testEnv.clock.run())

let logins = 0

async function newSession(user: TestUser): Promise<Session> {
  return { url: testEnv.app.url, orgSlug: user.orgSlug, ...(await testEnv.client.login(user)) }
}

async function newLogin(): Promise<Login> {
  const user = newUser(`machine-${++logins}`)
  const env = { ROLLKEY_CONFIG_DIR: path.join(root, user.orgSlug) }
  const credentials = openCredentials({ env })
  const session = await newSession(user)
  await credentials.save(session)
  return { user, env, credentials, session }
}

function tokensOf({ credentials, session: { url, orgSlug } }: Login, through: typeof fetch = fetch) {
  return sessionTokens({ url, org: orgSlug, credentials, fetch: through, clock: testEnv.clock })
}

/** Requests a token in a separate process. Returns its output and exit status. */
async function askInProcess({ env, session }: Login, fate = '') {
  const script = path.join(import.meta.dirname, 'workers', 'ask-token.ts')
  const aheadMs = testEnv.clock.now() - Date.now()
  const child = spawn(process.execPath, [script, session.url, session.orgSlug, String(aheadMs), fate], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [token, [status, signal]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { token, ended: (signal ?? status) as string | number }
}

/** Returns the number of refreshes that the service has answered. */
function refreshes(): number {
  return testEnv.app.log.filter((line) => line.includes('"endpoint":"tokenRefresh"')).length
}

async function statusOf(token: string): Promise<number> {
  return (await testEnv.client.call('session', {}, { token })).status
}

async function expectLoginNeeded(asking: Promise<unknown>, message: RegExp): Promise<void> {
  await expect(asking).rejects.toMatchObject({ code: 'LOGIN_NEEDED' })
  await expect(asking).rejects.toThrow(message)
}

/** Moves the clock to a time when a new access token is still valid but due for renewal. */
function advanceToRenewal(): void {
  testEnv.clock.advance(hourMs - 3 * minuteMs)
}

describe('processes that share a session', () => {
  test.runIf(isLong)(
    '20 at once with an expired token make one refresh, and each gets a token that works',
    async () => {
      const login = await newLogin()
      testEnv.clock.advance(2 * hourMs)
      expect(await statusOf(login.session.accessToken)).toBe(401)
      const before = refreshes()
      const ends = await Promise.all(Array.from({ length: 20 }, () => askInProcess(login)))
      expect(ends.map(({ ended }) => ended)).toEqual(Array(20).fill(0))
      expect(refreshes() - before).toBe(1)
      const [token = ''] = new Set(ends.map((end) => end.token))
      expect(ends.every((end) => end.token === token)).toBe(true)
      expect(await statusOf(token)).toBe(200)
      const stored = await login.credentials.find(login.session.url)
      expect(stored).toMatchObject({ accessToken: token, orgSlug: login.session.orgSlug })
      expect(stored?.refreshStartedAtMs).toBeUndefined()
      expect((await testEnv.client.refresh(stored?.refreshToken ?? '')).status).toBe(200)
    },
  )

  test.runIf(isLong)(
    'have the old token when one is killed between the request and the save, then learn what happened',
    async () => {
      const login = await newLogin()
      advanceToRenewal()
      const [startedAtMs, realStartMs] = [testEnv.clock.now(), Date.now()]
      expect((await askInProcess(login, 'dies-after')).ended).toBe('SIGKILL')
      const killedAtMs = startedAtMs + Date.now() - realStartMs
      const before = refreshes()
      expect((await askInProcess(login)).token).toBe(login.session.accessToken)
      testEnv.clock.advance(2 * minuteMs)
      expect(await tokensOf(login).token()).toBe(login.session.accessToken)
      expect(await statusOf(login.session.accessToken)).toBe(200)
      expect(refreshes()).toBe(before)
      testEnv.clock.advance(2 * minuteMs)
      const asking = tokensOf(login).token()
      await expectLoginNeeded(asking, /has ended: the answer to its last refresh at .*Z was lost\. Run rollkey login\./)
      const [, time = ''] = /at (\S+Z)/.exec(await asking.catch(String)) ?? []
      expect(Date.parse(time)).toBeGreaterThanOrEqual(startedAtMs)
      expect(Date.parse(time)).toBeLessThanOrEqual(killedAtMs)
      expect(login.credentials.list()).toEqual([])
    },
  )

  test('continue if one is killed before it sent its request', async () => {
    const login = await newLogin()
    advanceToRenewal()
    expect((await askInProcess(login, 'dies-before')).ended).toBe('SIGKILL')
    expect(await tokensOf(login).token()).toBe(login.session.accessToken)
    testEnv.clock.advance(4 * minuteMs)
    const token = await tokensOf(login).token()
    expect(token).not.toBe(login.session.accessToken)
    expect(await statusOf(token)).toBe(200)
    expect((await login.credentials.find(login.session.url))?.refreshStartedAtMs).toBeUndefined()
  })
})

describe('a token', () => {
  test('is renewed in its last five minutes, once for all callers', async () => {
    const login = await newLogin()
    const tokens = tokensOf(login)
    const before = refreshes()
    testEnv.clock.advance(hourMs - 6 * minuteMs)
    expect(await tokens.token()).toBe(login.session.accessToken)
    testEnv.clock.advance(2 * minuteMs)
    const received = await Promise.all(Array.from({ length: 10 }, () => tokens.token()))
    expect(new Set(received).size).toBe(1)
    expect(received[0]).not.toBe(login.session.accessToken)
    expect(refreshes() - before).toBe(1)
  })

  test('that is refused is renewed unless another process has done so', async () => {
    const login = await newLogin()
    const [mine, theirs] = [tokensOf(login), tokensOf(login)]
    const before = refreshes()
    const renewed = await mine.renew?.(await mine.token())
    expect(renewed).not.toBe(login.session.accessToken)
    expect(await theirs.renew?.(login.session.accessToken)).toBe(renewed)
    expect(refreshes() - before).toBe(1)
  })

  test('stays in use, with pauses, while the service does not answer the refresh, and is renewed afterwards', async () => {
    const login = await newLogin()
    let requests = 0
    let isCut = true
    const tokens = tokensOf(login, (input, init) => {
      requests++
      return isCut ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init)
    })
    advanceToRenewal()
    for (let i = 0; i < 3; i++) expect(await tokens.token()).toBe(login.session.accessToken)
    expect(requests).toBe(1)
    testEnv.clock.advance(5 * minuteMs)
    await expect(tokens.token()).rejects.toMatchObject({ code: 'UNREACHABLE' })
    isCut = false
    expect(await statusOf(await tokens.token())).toBe(200)
    expect(requests).toBe(3)
  })

  test('is renewed after a refusal that leaves the refresh token unused', async () => {
    const login = await newLogin()
    const tokens = tokensOf(login)
    const before = refreshes()
    advanceToRenewal()
    testEnv.provider.isDown = true
    for (let i = 0; i < 3; i++) expect(await tokens.token()).toBe(login.session.accessToken)
    expect(refreshes() - before).toBe(1)
    testEnv.provider.isDown = false
    expect((await login.credentials.find(login.session.url))?.refreshStartedAtMs).toBeUndefined()
    testEnv.clock.advance(minuteMs)
    expect(await tokens.token()).not.toBe(login.session.accessToken)
  })

  test('is not renewed for every request if the clock of the machine is far ahead', async () => {
    const { credentials, session } = await newLogin()
    const clock = { now: () => testEnv.clock.now() + 2 * hourMs }
    const tokens = sessionTokens({ url: session.url, org: session.orgSlug, credentials, clock })
    const before = refreshes()
    for (let i = 0; i < 3; i++) expect(await statusOf(await tokens.token())).toBe(200)
    expect(refreshes() - before).toBe(1)
  })

  test('of a login during a refresh wins over the refreshed one', async () => {
    const login = await newLogin()
    const next = await newSession(login.user)
    const tokens = tokensOf(login, async (input, init) => {
      await login.credentials.save(next)
      return fetch(input, init)
    })
    expect(await tokens.renew?.(login.session.accessToken)).toBe(next.accessToken)
    expect(await login.credentials.find(login.session.url)).toMatchObject({ refreshToken: next.refreshToken })
  })
})

describe('a session that has ended requires a login and is forgotten', () => {
  test('if it was ended elsewhere', async () => {
    const login = await newLogin()
    const { accessToken, refreshToken } = login.session
    await testEnv.client.must('logout', { refreshToken }, { token: accessToken })
    await expectLoginNeeded(
      tokensOf(login).renew?.(accessToken) ?? Promise.resolve(),
      /has ended: it was revoked, its organization requires another sign-in, or it was used elsewhere\. Run rollkey login\./,
    )
    expect(login.credentials.list()).toEqual([])
    await expectLoginNeeded(tokensOf(login).token(), /Not logged in to machine-\d+ at http.*\. Run rollkey login\./)
  })

  test('if its user is no longer a member', async () => {
    const login = await newLogin()
    testEnv.provider.remove(login.user)
    advanceToRenewal()
    await expectLoginNeeded(tokensOf(login).token(), /has ended: you are no longer a member of this organization\./)
    expect(login.credentials.list()).toEqual([])
  })

  test('if it was unused for 30 days', async () => {
    const login = await newLogin()
    testEnv.clock.advance(31 * 24 * hourMs)
    await expectLoginNeeded(tokensOf(login).token(), /has ended: it was unused and expired at 20..-..-..T.*Z\./)
    expect(readFileSync(path.join(login.env.ROLLKEY_CONFIG_DIR, 'sessions.json'), 'utf8')).not.toContain('svc_')
  })
})
