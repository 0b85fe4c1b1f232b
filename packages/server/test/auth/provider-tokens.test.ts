/** Which tokens are accepted, and the effects of a provider whose keys change or are unavailable. */
import type { JWTPayload } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { externalKeys, ProviderKeys } from '../../src/auth/jwks.ts'
import { ProviderTokens, type TokenRules } from '../../src/auth/provider-tokens.ts'
import { createLog } from '../../src/base/log.ts'
import { TestClock } from '../../testkit/clock.ts'
import { EndlessAnswer, peerTroubles } from '../../testkit/slow-peer.ts'
import { stopMachineClock, stopTimeLimits } from '../../testkit/stopped-clock.ts'
import { FakeProvider, newKey } from './provider.ts'

let clock: TestClock
let provider: FakeProvider
let tokens: ProviderTokens

/** `timeoutMs`: by default longer than any test, so that a wait for it fails the test. */
function tokensWith(rules: Partial<TokenRules> = {}, timeoutMs = 120_000): ProviderTokens {
  const keys = new ProviderKeys(externalKeys(provider.issuer, undefined, timeoutMs), clock, createLog('silent'))
  const claims = { orgIdClaim: 'org_id', orgSlugClaim: 'org_slug' }
  const open = { issuer: provider.issuer, audience: undefined, authorizedParties: [], clientId: undefined }
  return new ProviderTokens({ ...open, ...claims, ...rules }, keys, clock)
}

beforeEach(async () => {
  clock = new TestClock()
  clock.freezeAt(Date.now())
  provider = await FakeProvider.start(clock)
  tokens = tokensWith()
})
afterEach(() => provider.peer.close())

/** Returns `ok`, the reason that a token is refused, or the code of the error. */
async function outcomeOf(token: string, of = tokens): Promise<string> {
  try {
    const result = await of.examine(token)
    return typeof result === 'string' ? result : 'ok'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('accepted tokens', () => {
  const client = { clientId: 'rollkey' }
  const parties = { authorizedParties: ['https://app.example'] }
  const audience = { audience: 'api' }
  const idToken = { nonce: 'n' }

  test.each<[string, Partial<TokenRules>, JWTPayload, string]>([
    ['nothing is set', {}, { azp: 'billing', aud: 'billing' }, 'ok'],
    ['the client is set', client, { azp: 'billing', aud: 'billing' }, 'audience'],
    ['the client is set', client, { azp: undefined }, 'audience'],
    ['the client is set', client, { azp: 'billing', aud: ['billing', 'rollkey'] }, 'ok'],
    ['the client is set', client, { azp: 'rollkey' }, 'ok'],
    ['the client is set', client, { azp: undefined, client_id: 'rollkey', aud: 'api' }, 'ok'],
    ['the client is set', client, { azp: 'billing', client_id: 'rollkey' }, 'audience'],
    ['a party is set', { ...client, ...parties }, { azp: 'rollkey', aud: 'rollkey' }, 'audience'],
    ['a party is set', { ...client, ...parties }, { azp: 'https://app.example' }, 'ok'],
    ['an audience is set', { ...client, ...audience }, { azp: 'rollkey', aud: 'rollkey' }, 'audience'],
    ['an audience is set', { ...client, ...audience }, { azp: 'other', aud: 'api' }, 'ok'],
    ['both are set', { ...parties, ...audience }, { azp: 'other', aud: 'api' }, 'audience'],
    ['both are set', { ...parties, ...audience }, { azp: 'https://app.example', aud: 'other' }, 'audience'],
    ['nothing is set: an id token', {}, { ...idToken, aud: 'rollkey' }, 'audience'],
    ['nothing is set: an id token', {}, { at_hash: 'h', aud: 'rollkey' }, 'audience'],
    ['the client is set: an id token', client, { ...idToken, aud: 'rollkey' }, 'ok'],
    ['the client is set: an id token', client, { ...idToken, azp: 'rollkey', aud: 'billing' }, 'audience'],
    ['the client is set: an id token', client, { at_hash: 'h', azp: 'rollkey', aud: 'billing' }, 'audience'],
    ['a party is set: an id token', parties, { ...idToken, azp: 'https://app.example', aud: 'other' }, 'audience'],
    ['an audience is set: an id token', audience, { ...idToken, aud: 'api' }, 'ok'],
  ])('%s (%j): a token with %j: %s', async (_, rules, claims, outcome) => {
    expect(await outcomeOf(await provider.sign(claims), tokensWith(rules))).toBe(outcome)
  })
})

test.each([
  ['JWT', 'ok'],
  ['at+jwt', 'ok'],
  ['application/at+jwt', 'ok'],
  ['logout+jwt', 'unreadable'],
  ['JWE', 'unreadable'],
  ['', 'unreadable'],
])('a token with the typ "%s": %s', async (typ, outcome) => {
  expect(await outcomeOf(await provider.sign({}, provider.key, { typ }))).toBe(outcome)
})

describe('required claims', () => {
  const required = (claim: string, value: string) => tokensWith({ requiredClaims: new Map([[claim, value]]) })

  test.each<[string, string, JWTPayload, string]>([
    ['hd', 'example.com', { hd: 'example.com' }, 'ok'],
    ['hd', 'example.com', { hd: 'example.com.evil.example' }, 'claims'],
    ['hd', 'example.com', {}, 'claims'],
    ['hd', 'undefined', {}, 'claims'],
    ['hd', '', { hd: '' }, 'ok'],
    ['groups', 'staff', { groups: ['guests', 'staff'] }, 'ok'],
    ['groups', 'staff', { groups: ['guests'] }, 'claims'],
    ['groups', 'staff', { groups: { staff: true } }, 'claims'],
    ['https://example.com/staff', 'true', { 'https://example.com/staff': true }, 'ok'],
    ['realm.level', '2', { realm: { level: 2 } }, 'ok'],
    ['realm.level', '[object Object]', { realm: { level: {} } }, 'claims'],
  ])('%s=%s: a token with %j: %s', async (claim, value, claims, outcome) => {
    expect(await outcomeOf(await provider.sign(claims), required(claim, value))).toBe(outcome)
  })

  test('are all required', async () => {
    const both = tokensWith({
      requiredClaims: new Map([
        ['hd', 'example.com'],
        ['level', '2'],
      ]),
    })
    expect(await outcomeOf(await provider.sign({ hd: 'example.com', level: 2 }), both)).toBe('ok')
    expect(await outcomeOf(await provider.sign({ hd: 'example.com' }), both)).toBe('claims')
  })
})

describe('the reason of a refusal', () => {
  test('is the first check that the token fails', async () => {
    const sign = (claims: JWTPayload): Promise<string> => provider.sign(claims)
    expect(await outcomeOf('opaque')).toBe('unreadable')
    expect(await outcomeOf(await provider.sign({}, await newKey()))).toBe('signature')
    expect(await outcomeOf(await sign({ iss: 'https://other.example' }))).toBe('issuer')
    expect(await outcomeOf(await sign({ exp: 1 }))).toBe('time')
    expect(await outcomeOf(await sign({ nbf: Math.floor(clock.now() / 1_000) + 60 }))).toBe('time')
    expect(await outcomeOf(await sign({ sub: undefined as never }))).toBe('unreadable')
    expect(await outcomeOf(await sign({ org_id: undefined }))).toBe('organization')
    expect(await outcomeOf(await sign({}))).toBe('ok')
  })
})

describe('new keys with the ids of old ones', () => {
  test('are fetched with the first token that they sign, and the old ones are refused', async () => {
    const old = provider.key
    expect(await outcomeOf(await provider.sign())).toBe('ok')
    clock.advance(30_000)
    provider.key = await newKey()
    expect(await outcomeOf(await provider.sign())).toBe('ok')
    expect(await outcomeOf(await provider.sign({}, old))).toBe('signature')
    expect(provider.keyFetches).toBe(2)
  })

  test('are fetched at most every 30 seconds, also while the provider fails and clients send bad signatures', async () => {
    const wrong = await newKey()
    for (let i = 0; i < 100; i++) expect(await outcomeOf(await provider.sign({}, wrong))).toBe('signature')
    expect(provider.keyFetches).toBe(1)
    provider.answers.set('/jwks', (response) => response.writeHead(503).end())
    clock.advance(30_000)
    await Promise.all(Array.from({ length: 100 }, async () => outcomeOf(await provider.sign({}, wrong))))
    expect(provider.keyFetches).toBe(2)
    clock.advance(29_999)
    provider.answers.clear()
    provider.key = wrong
    expect(await outcomeOf(await provider.sign())).toBe('signature')
    clock.advance(1)
    expect(await outcomeOf(await provider.sign())).toBe('ok')
    expect(provider.keyFetches).toBe(3)
  })
})

describe.each(peerTroubles)('a provider of keys that %s', (trouble) => {
  test('makes tokens of known keys wait only a moment, together, and not again within 30 seconds', async () => {
    expect(await outcomeOf(await provider.sign())).toBe('ok')
    clock.advance(11 * 60_000)
    provider.peer.answer = trouble
    const before = provider.peer.requests
    const token = await provider.sign()
    for (let i = 0; i < 3; i++) {
      const all = await Promise.all(Array.from({ length: 1_000 }, () => outcomeOf(token)))
      expect(new Set(all)).toEqual(new Set(['ok']))
    }
    await expect.poll(() => provider.peer.requests - before).toBe(1)
  })
})

describe.each(['hangs', 'drips'] as const)('a provider of keys that %s from the start', (trouble) => {
  test('makes the first tokens wait for the timeout, and later ones a moment, until it answers', async () => {
    const pass = stopMachineClock()
    const runOut = stopTimeLimits()
    provider.peer.answer = trouble
    const token = await provider.sign()
    const both = (): Promise<string[]> => Promise.all([outcomeOf(token), outcomeOf(token)])
    const first = both()
    await expect.poll(() => provider.peer.requests).toBe(1)
    pass(120_000)
    runOut()
    expect(await first).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'])
    clock.advance(1_000)
    const runOutAgain = stopTimeLimits()
    expect(await both()).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'])
    // The second fetch is still running.
    await expect.poll(() => [provider.peer.requests, provider.peer.open]).toEqual([2, 1])
    expect(await outcomeOf(token)).toBe('SERVICE_UNAVAILABLE')
    expect(provider.peer.requests).toBe(2)
    provider.work()
    runOutAgain()
    await expect
      .poll(() => {
        clock.advance(1_000)
        return outcomeOf(token)
      })
      .toBe('ok')
  })
})

test('an endless answer is read only up to the maximum length of keys', async () => {
  const answer = new EndlessAnswer(64 * 1024 * 1024)
  provider.answers.set('/jwks', answer.send)
  expect(await outcomeOf(await provider.sign())).toBe('SERVICE_UNAVAILABLE')
  expect(answer.sentBytes).toBeLessThan(32 * 1024 * 1024)
})
