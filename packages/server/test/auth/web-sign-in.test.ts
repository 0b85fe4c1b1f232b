/** Messages of a failed sign-in at an external provider. */
import { text } from 'node:stream/consumers'
import type { JWTPayload } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { externalKeys, ProviderKeys } from '../../src/auth/jwks.ts'
import { ProviderTokens } from '../../src/auth/provider-tokens.ts'
import { WebSignIn } from '../../src/auth/web-sign-in.ts'
import { createLog } from '../../src/base/log.ts'
import { TestClock } from '../../testkit/clock.ts'
import { makeTrouble } from '../../testkit/slow-peer.ts'
import { stopMachineClock, stopTimeLimits } from '../../testkit/stopped-clock.ts'
import { FakeProvider, newKey } from './provider.ts'

/** Longer than any test, so that a wait for it fails the test. */
const timeoutMs = 120_000
let clock: TestClock
let provider: FakeProvider
let signIn: WebSignIn

beforeEach(async () => {
  clock = new TestClock()
  clock.freezeAt(Date.now())
  provider = await FakeProvider.start(clock)
  signIn = newSignIn()
})
afterEach(() => provider.peer.close())

function newSignIn(): WebSignIn {
  const { issuer } = provider
  const log = createLog('silent')
  const keys = new ProviderKeys(externalKeys(issuer, undefined), clock, log)
  const claims = { orgIdClaim: 'org_id', orgSlugClaim: 'org_slug' }
  const rules = { issuer, audience: undefined, authorizedParties: [], clientId: 'rollkey', ...claims }
  const client = { issuer, clientId: 'rollkey', scopes: 'openid', redirectUri: 'http://localhost/auth/callback' }
  return new WebSignIn({ client, tokens: new ProviderTokens(rules, keys, clock), clock, log, timeoutMs })
}

/** Returns the result of a sign-in with these tokens: `ok`, or the code and message of the refusal. */
async function outcomeOf(accessToken: string, idClaims: JWTPayload = {}): Promise<string> {
  try {
    const proof = await signIn.start(false)
    const id = await provider.sign({ org_id: undefined, aud: 'rollkey', nonce: proof.nonce, ...idClaims })
    provider.answers.set('/token', async (response, request) => {
      await text(request)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ token_type: 'bearer', access_token: accessToken, id_token: id }))
    })
    await signIn.finish(`code=c&state=${proof.state}`, proof)
    return 'ok'
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return `${code} ${message}`
  }
}

describe('a sign-in', () => {
  test('returns the access token, or else the ID token', async () => {
    expect(await outcomeOf(await provider.sign())).toBe('ok')
    expect(await outcomeOf('opaque', { org_id: 'id' })).toBe('ok')
  })

  test.each<[string, JWTPayload, RegExp]>([
    [
      'no active organization',
      { org_id: undefined },
      /no active organization at the identity provider: choose one there/,
    ],
    ['another audience', { azp: 'billing', aud: 'billing' }, /is for another application.*ROLLKEY_IDP_AUDIENCE/],
    ['another issuer', { iss: 'https://other.example' }, /does not name the issuer.*ROLLKEY_IDP_ISSUER/],
    ['another time', { exp: 1 }, /has expired or is not valid yet.*clocks/],
  ])('explains the refusal of a token with %s', async (_, claims, sentence) => {
    const outcome = await outcomeOf(await provider.sign(claims))
    expect(outcome).toMatch(sentence)
    expect(outcome).toMatch(/^UNAUTHORIZED You are signed in, but/)
  })

  test('explains the refusal of both tokens', async () => {
    const outcome = await outcomeOf(await provider.sign({ azp: 'billing' }))
    expect(outcome).toMatch(/is for another application.*The ID token was refused too: it names no active org/)
    expect(await outcomeOf('opaque')).not.toContain('ID token')
  })

  test('reports an unknown signature before a missing organization', async () => {
    const published = provider.key
    provider.key = await newKey()
    provider.answers.set('/jwks', (response) => response.end(JSON.stringify({ keys: [published.jwk] })))
    expect(await outcomeOf(await provider.sign())).toMatch(/^UNAUTHORIZED .*matches none of the keys/)
  })

  test('explains the errors of the provider', async () => {
    const proof = await signIn.start(false)
    const outcome = (callback: string): Promise<string> =>
      signIn.finish(callback, proof).then(
        () => 'ok',
        (error: Error) => error.message,
      )
    expect(await outcome(`error=access_denied&state=${proof.state}`)).toContain('(access_denied)')
    expect(await outcome(`error=__proto__&state=${proof.state}`)).toContain('did not confirm the sign-in')
    for (const error of ['invalid_grant', 'invalid_client', 'unauthorized_client']) {
      provider.answers.set('/token', (response) => {
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error, error_description: 'quoted <b>' }))
      })
      const said = await outcome(`code=c&state=${proof.state}`)
      expect(said).toContain(`(${error})`)
      expect(said).not.toContain('quoted')
    }
  })
})

describe.each(['hangs', 'drips', 'resets'] as const)('a provider that %s', (trouble) => {
  // A fast failure may be retried at once.
  const maxMore = trouble === 'resets' ? 3 : 0

  const codeOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: { code: string }) => error.code)
  const starting = (): Promise<unknown> => codeOf(signIn.start(false))
  const ending = (): Promise<unknown> =>
    codeOf(signIn.finish('code=c&state=s', { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }))

  /** Lets the time limit of a request run out. */
  async function runOut(call: () => Promise<unknown>): Promise<unknown> {
    const [pass, resume] = [stopMachineClock(), stopTimeLimits()]
    const { requests } = provider.peer
    const code = call()
    await expect.poll(() => provider.peer.requests).toBeGreaterThan(requests)
    if (trouble !== 'resets') pass(timeoutMs)
    resume()
    return code
  }

  test('is reported as unavailable at the start; later sign-ins fail at once, and one at a time tries again', async () => {
    provider.peer.answer = trouble
    expect(await runOut(starting)).toBe('SERVICE_UNAVAILABLE')
    const requests = provider.peer.requests
    expect(await Promise.all([starting(), starting(), starting()])).toEqual(Array(3).fill('SERVICE_UNAVAILABLE'))
    expect(provider.peer.requests - requests).toBeLessThanOrEqual(maxMore)
    provider.work()
    clock.advance(2_000)
    expect((await signIn.start(false)).state).toBeDefined()
  })

  test('is reported as unavailable at the exchange of the code', async () => {
    await signIn.start(false)
    provider.answers.set('/token', (response) => makeTrouble(response, trouble))
    expect(await runOut(ending)).toBe('SERVICE_UNAVAILABLE')
    const requests = provider.peer.requests
    await Promise.all([ending(), ending()])
    expect(provider.peer.requests - requests).toBeLessThanOrEqual(maxMore)
  })
})
