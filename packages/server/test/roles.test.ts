/** Tests who is owner, admin or member with an external and with the embedded provider, and what the role allows. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ExternalMembers } from '../src/auth/external-members.ts'
import { createLog } from '../src/base/log.ts'
import { type TestApp } from '../testkit/app.ts'
import { TestClock } from '../testkit/clock.ts'
import { useEmbeddedApp } from '../testkit/embedded.ts'
import { invite } from '../testkit/person.ts'
import { queryIdentity } from '../testkit/store.ts'
import { newTenant, useTestEnv } from '../testkit/test-env.ts'

async function create({ client }: Pick<TestApp, 'client'>, orgSlug: string, token: string): Promise<string> {
  const { status, body } = await client.call('tokenCreate', { orgSlug, name: 'ci' }, { token })
  return status === 200 ? 'ok' : `${status} ${body.error.code}`
}

async function roleIn({ client }: Pick<TestApp, 'client'>, token: string): Promise<string> {
  return (await client.must('whoami', {}, { token })).role as string
}

describe('with an external provider', () => {
  const testEnv = useTestEnv()

  test.each([
    ['owner', 'ok', 'owner'],
    ['admin', 'ok', 'admin'],
    ['member', '403 FORBIDDEN', 'member'],
    ['Owner', '403 FORBIDDEN', 'member'],
    ['root', '403 FORBIDDEN', 'member'],
    ['', '403 FORBIDDEN', 'member'],
  ])('role %j in the membership answer: creating a token answers %s, whoami shows %s', async (said, answer, role) => {
    const { user, token, at } = await newTenant(testEnv)
    testEnv.provider.setRole(user, said)
    const jwt = await testEnv.provider.tokenOf(user)
    expect([await create(testEnv, at.orgSlug, token), await create(testEnv, at.orgSlug, jwt)]).toEqual([answer, answer])
    expect([await roleIn(testEnv, token), await roleIn(testEnv, jwt)]).toEqual([role, role])
    expect(await testEnv.client.must('whoami', {}, { token })).toMatchObject({
      credential: 'session',
      idpUserId: user.userId,
    })
    expect(await testEnv.client.must('whoami', {}, { token: jwt })).toMatchObject({ credential: 'provider' })
  })

  test('a revoked role ends with the next request', async () => {
    const { user, token, at } = await newTenant(testEnv)
    testEnv.provider.setRole(user, 'admin')
    expect(await create(testEnv, at.orgSlug, token)).toBe('ok')
    testEnv.provider.setRole(user, 'member')
    expect(await create(testEnv, at.orgSlug, token)).toBe('403 FORBIDDEN')
    expect(await roleIn(testEnv, token)).toBe('member')
  })

  test('the organization is checked before the role', async () => {
    const { token } = await newTenant(testEnv)
    expect(await create(testEnv, 'other', token)).toBe('403 INVALID_ORG_SCOPE')
  })

  test('a removed member is refused once with a session, which then ends, and each time with a provider token', async () => {
    const { user, token, at } = await newTenant(testEnv)
    testEnv.provider.setRole(user, 'owner')
    expect(await create(testEnv, at.orgSlug, token)).toBe('ok')
    const jwt = await testEnv.provider.tokenOf(user)
    testEnv.provider.remove(user)
    expect(await create(testEnv, at.orgSlug, jwt)).toBe('403 ORG_SCOPE_INVALID')
    expect(await create(testEnv, at.orgSlug, jwt)).toBe('403 ORG_SCOPE_INVALID')
    expect(await create(testEnv, at.orgSlug, token)).toBe('403 ORG_SCOPE_INVALID')
    expect(await create(testEnv, at.orgSlug, token)).toBe('401 UNAUTHORIZED')
  })

  test('no role is cached: without the provider the answer is 503, and reading continues', async () => {
    const { user, token, at } = await newTenant(testEnv)
    testEnv.provider.setRole(user, 'owner')
    expect(await create(testEnv, at.orgSlug, token)).toBe('ok')
    testEnv.provider.isDown = true
    expect(await create(testEnv, at.orgSlug, token)).toBe('503 SERVICE_UNAVAILABLE')
    expect((await testEnv.client.call('whoami', {}, { token })).status).toBe(503)
    expect((await testEnv.client.call('list', at, { token })).status).toBe(200)
    testEnv.provider.isDown = false
    expect(await create(testEnv, at.orgSlug, token)).toBe('ok')
  })
})

describe('the membership answer', () => {
  function membersAt(url: string | undefined): ExternalMembers {
    // No test waits for a time limit.
    const waits = { timeoutMs: 120_000, refreshTimeoutMs: 120_000 }
    return new ExternalMembers({ url, token: undefined }, new TestClock(), createLog('silent'), waits)
  }

  async function listen(answer: (response: ServerResponse) => void): Promise<{ server: Server; url: string }> {
    const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/{orgId}/{userId}` }
  }

  /** Returns the member's role, or the error code, for an answer of the provider. */
  async function standingBy(answer: (response: ServerResponse) => void): Promise<string> {
    const { url } = await listen(answer)
    return membersAt(url)
      .checkNow('org', 'user')
      .catch((error: { code: string }) => error.code)
  }

  test.each([
    ['with a role among other things', '{"role":"owner","more":[1]}', 'owner'],
    ['with a list of roles', '{"role":["owner"]}', 'member'],
    ['with no role', '{"role":null}', 'member'],
    ['that is an empty object', '{}', 'member'],
    ['that is null', 'null', 'member'],
    ['that is not JSON', 'owner', 'member'],
    ['that is empty', '', 'member'],
    ['that is long', `{"role":"owner","more":"${'x'.repeat(60_000)}"}`, 'owner'],
    ['that is too long', `{"role":"owner","more":"${'x'.repeat(70_000)}"}`, 'member'],
  ])('%s gives a role', async (_, text, role) => {
    expect(await standingBy((response) => response.end(text))).toBe(role)
  })

  test('is read up to its maximum length if it never ends', async () => {
    const endless = function* () {
      for (;;) yield 'x'.repeat(16_384)
    }
    expect(await standingBy((response) => Readable.from(endless()).pipe(response))).toBe('member')
  })

  test('is rejected if it breaks off', async () => {
    const broken = (response: ServerResponse): void => {
      response.writeHead(200, { 'content-length': '100' }).write('{"role":', () => response.destroy())
    }
    expect(await standingBy(broken)).toBe('SERVICE_UNAVAILABLE')
  })

  test('means removal with status 404, even without a body', async () => {
    const removed = (response: ServerResponse): void => {
      response.writeHead(404, { 'content-length': '100' }).write('{"role":', () => response.destroy())
    }
    expect(await standingBy(removed)).toBe('removed')
  })

  test('is requested again by each caller who needs the role, even if a request is in flight', async () => {
    const waiting: ServerResponse[] = []
    const { server, url } = await listen((response) => waiting.push(response))
    const members = membersAt(url)
    const early = members.checkNow('org', 'user')
    await once(server, 'request')
    const late = members.checkNow('org', 'user')
    await once(server, 'request')
    waiting[1]?.end('{"role":"member"}')
    expect(await late).toBe('member')
    waiting[0]?.end('{"role":"owner"}')
    expect(await early).toBe('owner')
  })

  test('makes everyone a member if no URL is configured', async () => {
    expect(await membersAt(undefined).checkNow('org', 'user')).toBe('member')
  })
})

describe('with the embedded provider', () => {
  const app = useEmbeddedApp()

  test('owners and admins create service tokens and members do not, with either credential', async () => {
    const expected = [
      [app.owner, 'owner', 'ok'],
      [await invite(app.owner, 'admin'), 'admin', 'ok'],
      [await invite(app.owner), 'member', '403 FORBIDDEN'],
    ] as const
    for (const [person, role, answer] of expected) {
      const jwt = await person.token()
      const { accessToken } = await app.client.login(jwt)
      expect([await create(app, 'acme', jwt), await create(app, 'acme', accessToken)]).toEqual([answer, answer])
      expect([await roleIn(app, jwt), await roleIn(app, accessToken)]).toEqual([role, role])
    }
  })

  test('the highest of several roles counts, and a change takes effect at once', async () => {
    const grace = await invite(app.owner)
    const { accessToken } = await app.client.login(await grace.token())
    const set = (role: string) =>
      queryIdentity(
        app.dataDir,
        `update member set role = $1 where "userId" = (select id from "user" where email = $2)`,
        role,
        grace.email,
      )
    for (const [role, answer] of [
      ['member,admin', 'ok'],
      ['member', '403 FORBIDDEN'],
      ['nonsense', '403 FORBIDDEN'],
      ['owner', 'ok'],
    ] as const) {
      await set(role)
      expect([role, await create(app, 'acme', accessToken)]).toEqual([role, answer])
    }
  })

  test('a member who leaves is not an admin anymore, and the service token stays', async () => {
    const admin = await invite(app.owner, 'admin')
    const { accessToken } = await app.client.login(await admin.token())
    const { token } = await app.client.must('tokenCreate', { orgSlug: 'acme', name: 'ci' }, { token: accessToken })
    await app.owner.must('/organization/remove-member', { memberIdOrEmail: admin.email })
    expect(await create(app, 'acme', accessToken)).toBe('403 ORG_SCOPE_INVALID')
    expect(await create(app, 'acme', accessToken)).toBe('401 UNAUTHORIZED')
    // The provider would report this token as not a member and end it.
    expect(await create(app, 'acme', token)).toBe('403 FORBIDDEN')
    expect((await app.client.must('whoami', {}, { token })).credential).toBe('service')
  })
})
