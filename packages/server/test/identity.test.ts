import { describe, expect, test } from 'vitest'
import { createLog } from '../src/base/log.ts'
import { readConfig } from '../src/config.ts'
import type { Platform } from '../src/compose/platform.ts'
import { warnOfGaps } from '../src/compose/people.ts'
import { startTestApp } from '../testkit/app.ts'
import { newUser } from '../testkit/client.ts'
import { useTestEnv } from '../testkit/test-env.ts'

const testEnv = useTestEnv()

/** Lets each node know the keys of the provider. */
async function knowKeys(): Promise<void> {
  const token = await testEnv.provider.tokenOf(newUser())
  for (const _ of testEnv.app.urls) await testEnv.client.must('whoami', {}, { token })
}

const machines = { orgSlug: 'machines', projectSlug: 'p', stageSlug: 's' }

describe('an external OpenID provider', () => {
  test('signs a machine in with a token that it issued itself', async () => {
    const answer = await fetch(`${testEnv.provider.issuer}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa('machine:machine-secret')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    expect((await testEnv.client.call('list', machines, { token })).status).toBe(200)
  })

  test('can be down for an hour: its keys stay valid and sessions continue', async () => {
    const user = newUser()
    const at = { orgSlug: user.orgSlug, projectSlug: 'p', stageSlug: 's' }
    await knowKeys()
    testEnv.provider.isDown = true
    testEnv.clock.advance(3_600_000)
    const fresh = await testEnv.client.call('list', at, { token: await testEnv.provider.tokenOf(user) })
    expect(fresh.status).toBe(200)
    testEnv.provider.isDown = false
  })

  test('is asked for keys at most once in 30 seconds, also while it fails', async () => {
    const user = newUser()
    const at = { orgSlug: user.orgSlug, projectSlug: 'p', stageSlug: 's' }
    await knowKeys()
    testEnv.clock.freezeAt(testEnv.clock.now() + 60_000)
    testEnv.provider.troubles.set('/jwks', 'resets')
    testEnv.provider.keyFetches = 0
    for (let i = 0; i < 20; i++) {
      const token = await testEnv.provider.sign(testEnv.provider.claimsOf(user), { kid: `unknown-${i}` })
      expect((await testEnv.client.call('list', at, { token })).status).toBe(401)
    }
    testEnv.provider.troubles.clear()
    testEnv.clock.run()
    expect(testEnv.provider.keyFetches).toBe(testEnv.app.urls.length)
  })

  test('causes 503 for its tokens if it never answered, and does not affect existing sessions', async () => {
    const user = newUser()
    const { accessToken } = await testEnv.client.login(user)
    testEnv.provider.isDown = true
    const restarted = await startTestApp({}, { provider: testEnv.provider })
    const at = { orgSlug: user.orgSlug, projectSlug: 'p', stageSlug: 's' }
    const answer = await restarted.client.call('list', at, { token: await testEnv.provider.tokenOf(user) })
    expect([answer.status, answer.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    testEnv.provider.isDown = false
    expect((await testEnv.client.call('list', at, { token: accessToken })).status).toBe(200)
    testEnv.clock.advance(1_000)
    const token = await testEnv.provider.tokenOf(user)
    expect((await restarted.client.call('list', at, { token })).status).toBe(200)
  })
})

describe('settings of the provider', () => {
  const list = async (settings: Record<string, string>, change: object): Promise<number> => {
    const app = await startTestApp(settings, { provider: testEnv.provider })
    const user = newUser()
    const token = await testEnv.provider.sign({ ...testEnv.provider.claimsOf(user), ...change })
    const at = { orgSlug: user.orgSlug, projectSlug: 'p', stageSlug: 's' }
    const { status } = await app.client.call('list', at, { token })
    return status
  }

  test('require a configured audience', async () => {
    expect(await list({ IDP_AUDIENCE: 'rollkey' }, {})).toBe(401)
    expect(await list({ IDP_AUDIENCE: 'rollkey' }, { aud: 'other' })).toBe(401)
    expect(await list({ IDP_AUDIENCE: 'rollkey' }, { aud: ['x', 'rollkey'] })).toBe(200)
  })

  test('require an authorized party from the configured list', async () => {
    const settings = { IDP_AUTHORIZED_PARTIES: 'https://app.example, https://two.example' }
    expect(await list(settings, {})).toBe(401)
    expect(await list(settings, { azp: 'https://evil.example' })).toBe(401)
    expect(await list(settings, { azp: 'https://two.example' })).toBe(200)
  })

  test('require the client as audience or party if nothing else is configured', async () => {
    expect(await list({ IDP_CLIENT_ID: 'rollkey' }, { azp: 'billing' })).toBe(401)
    expect(await list({ IDP_CLIENT_ID: 'rollkey' }, { azp: 'rollkey' })).toBe(200)
  })

  test.each([
    ['nothing', {}, 1],
    ['a client', { ROLLKEY_IDP_CLIENT_ID: 'rollkey' }, 0],
    ['an audience', { ROLLKEY_IDP_AUDIENCE: 'rollkey' }, 0],
    ['a party', { ROLLKEY_IDP_AUTHORIZED_PARTIES: 'https://app.example' }, 0],
  ])(
    'warn about tokens for other applications with %s configured (%j): %i',
    (_, more: Record<string, string>, warnings) => {
      const config = readConfig({ ROLLKEY_IDP_ISSUER: 'https://idp.example', ...more })
      const lines: string[] = []
      const log = createLog('warn', { write: (line) => lines.push(line) })
      warnOfGaps({ config, log, publicUrl: 'http://localhost:8787' } as Platform)
      expect(lines.filter((line) => line.includes('any other application are accepted'))).toHaveLength(warnings)
    },
  )

  test('find the organization at other claims, and where Clerk puts it', async () => {
    const { orgSlug } = newUser()
    const none = { org_id: undefined, org_slug: undefined }
    expect(await list({}, { ...none, o: { id: 'clerk', slg: orgSlug } })).toBe(200)
    const paths = { IDP_ORG_ID_CLAIM: 'team.id', IDP_ORG_SLUG_CLAIM: 'team.name' }
    expect(await list(paths, { ...none, team: { id: 'own', name: orgSlug } })).toBe(200)
    expect(await list(paths, { ...none, team: { id: 'own' } })).toBe(401)
  })

  test('belong to the fixed organization, whatever they name', async () => {
    const settings = { IDP_ORG: 'acme', IDP_CLIENT_ID: 'rollkey' }
    const app = await startTestApp(settings, { provider: testEnv.provider })
    const claims = { ...testEnv.provider.claimsOf(newUser('elsewhere')), azp: 'rollkey' }
    for (const organization of [{}, { org_id: undefined, org_slug: undefined }]) {
      const token = await testEnv.provider.sign({ ...claims, ...organization })
      expect((await app.client.call('whoami', {}, { token })).body).toMatchObject({ orgSlug: 'acme' })
    }
    const foreign = await testEnv.provider.sign({ ...claims, azp: 'billing' })
    expect((await app.client.call('whoami', {}, { token: foreign })).status).toBe(401)
  })

  test('replace discovery by a JWKS URL', async () => {
    expect(await list({ IDP_JWKS_URL: `${testEnv.provider.issuer}/jwks` }, {})).toBe(200)
  })
})

describe('a request with several credentials', () => {
  test('uses a valid provider token before an access token, and ignores an invalid one', async () => {
    const one = newUser('org-of-session')
    const two = newUser('org-of-jwt')
    const { accessToken } = await testEnv.client.login(one)
    const jwt = await testEnv.provider.tokenOf(two)
    const inOrg = (orgSlug: string, authorization: string) =>
      testEnv.client.call('list', { orgSlug, projectSlug: 'p', stageSlug: 's' }, { headers: { authorization } })
    expect((await inOrg('org-of-jwt', `Bearer ${accessToken}, Bearer ${jwt}`)).status).toBe(200)
    expect((await inOrg('org-of-session', `Bearer ${accessToken}, Bearer ${jwt}`)).status).toBe(403)
    expect((await inOrg('org-of-session', `Bearer ${accessToken}, Bearer ${jwt}x`)).status).toBe(200)
  })

  test('never mixes organizations with one slug and two ids', async () => {
    const one = { userId: 'u1', orgId: 'id-one', orgSlug: 'same-slug' }
    const two = { userId: 'u2', orgId: 'id-two', orgSlug: 'same-slug' }
    const at = { orgSlug: 'same-slug', projectSlug: 'p', stageSlug: 's' }
    const entries = [{ name: 'A', kind: 'secret', value: 'of one' }]
    const tokenOne = await testEnv.provider.tokenOf(one)
    await testEnv.client.must('write', { ...at, mode: 'upsert', entries }, { token: tokenOne })
    const answer = await testEnv.client.must('list', at, { token: await testEnv.provider.tokenOf(two) })
    expect(answer.variables).toEqual([])
  })
})
