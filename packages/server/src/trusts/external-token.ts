/**
 * Checks a token of another service against a trust (RFC 7519; mistakes to avoid: RFC 8725). The exchange and the test of a trust
 * both decide by `examine`, so what the test shows is what the exchange does.
 */
import { claimOf, isProposedChange, limits, matchesClaim, type RequiredClaim, type TrustTest } from '@rollkey/contract'
import { compactVerify, errors, type JWTVerifyGetKey } from 'jose'
import { algorithms } from '../auth/provider-tokens.ts'
import { ApiError } from '../base/api-error.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { parseUniqueObject } from './json-members.ts'

/** The part of a trust that decides about tokens. */
export interface TrustRules {
  readonly issuer: string
  readonly audience: string
  readonly claims: readonly RequiredClaim[]
  readonly forks: boolean
  /** The keys that were pasted; undefined: those of the issuer. */
  readonly jwks: string | undefined
}

/** What a token is, compared with a trust. */
export type Examination = Omit<TrustTest, 'accepted' | 'problem'>

/** A token that can be read, before anything of it is believed. */
export interface ReadToken {
  readonly text: string
  readonly payload: Record<string, unknown>
}

/** The `typ` values of ID tokens and workload tokens, in lower case. Others, such as those of logout tokens, are refused. */
const types = new Set(['jwt', 'jose'])
const base64url = /^[A-Za-z0-9_-]+$/
const maxShownCharacters = 1_024

/** What is wrong with a token that `readToken` does not return, and what to do. */
export const unreadable =
  'cannot be read (expected a signed JWT with an asymmetric algorithm, of the type JWT or without one): send the ID token as the platform issued it, not an access token (at+jwt).'

/**
 * Returns the token if it is one that the service reads: a JWS in compact form with an asymmetric algorithm, whose header has no
 * extension and whose header and claims name nothing twice. It ignores `jku`, `jwk`, `x5u` and `x5c`.
 */
export function readToken(text: string): ReadToken | undefined {
  const parts = text.split('.')
  if (parts.length !== 3 || text.length > limits.outsideTokenCharacters) return undefined
  if (!parts.every((part) => base64url.test(part))) return undefined
  const [header, payload] = parts.slice(0, 2).map(decodedObject)
  if (!header || !payload) return undefined
  const { alg, kid, typ, crit, b64 } = header
  const isAccepted =
    typeof alg === 'string' &&
    algorithms.includes(alg) &&
    (kid === undefined || typeof kid === 'string') &&
    (typ === undefined || (typeof typ === 'string' && types.has(typ.toLowerCase()))) &&
    crit === undefined &&
    b64 === undefined
  return isAccepted ? { text, payload } : undefined
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decodedObject(part: string): Record<string, unknown> | undefined {
  try {
    return parseUniqueObject(decoder.decode(Buffer.from(part, 'base64url')))
  } catch {
    return undefined
  }
}

/** Returns how a token compares with a trust. `keys` is undefined if the service no longer fetches those of the issuer. */
export async function examine(
  token: ReadToken | undefined,
  trust: TrustRules,
  keys: IssuerKeys | undefined,
  nowMs: number,
): Promise<Examination> {
  const payload = token?.payload ?? {}
  const signature = token ? await signatureOf(token.text, payload, trust, keys) : 'unreadable'
  const proposed = isProposedChange(payload)
  return {
    signature,
    issuer: comparisonOf(trust.issuer, payload['iss'], payload['iss'] === trust.issuer),
    audience: comparisonOf(trust.audience, payload['aud'], names(payload['aud'], trust.audience)),
    times: timesOf(payload, nowMs),
    proposedChange: { actual: proposed, matches: trust.forks || !proposed },
    claims: trust.claims.map((claim) => {
      const actual = claimOf(payload, claim.name)
      return { name: claim.name, ...comparisonOf(claim.value, actual, matchesClaim(claim, actual)) }
    }),
  }
}

async function signatureOf(
  text: string,
  payload: Record<string, unknown>,
  trust: TrustRules,
  keys: IssuerKeys | undefined,
): Promise<Examination['signature']> {
  // The keys of one issuer prove nothing about a token of another one.
  if (payload['iss'] !== trust.issuer) return 'invalid'
  if (!keys) return 'unavailable'
  try {
    const current = await keys.current()
    if (await isSigned(text, current)) return 'valid'
    const newer = await keys.newerThan(current)
    return newer && (await isSigned(text, newer)) ? 'valid' : 'invalid'
  } catch (error) {
    if (error instanceof ApiError) return 'unavailable'
    throw error
  }
}

async function isSigned(text: string, keys: JWTVerifyGetKey): Promise<boolean> {
  try {
    await compactVerify(text, keys, { algorithms })
    return true
  } catch (error) {
    // A TypeError: the key of the issuer is too weak for the algorithm.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false
    throw error
  }
}

function names(audience: unknown, expected: string): boolean {
  return Array.isArray(audience) ? audience.includes(expected) : audience === expected
}

function timesOf({ iat, nbf, exp }: Record<string, unknown>, nowMs: number): Examination['times'] {
  const leewayMs = limits.providerTokenLeewaySec * 1_000
  const [issuedAtMs, notBeforeMs, expiresAtMs] = [iat, nbf, exp].map(millisecondsOf)
  const matches =
    issuedAtMs !== undefined &&
    expiresAtMs !== undefined &&
    (nbf === undefined || (notBeforeMs !== undefined && nowMs >= notBeforeMs - leewayMs)) &&
    nowMs >= issuedAtMs - leewayMs &&
    nowMs < issuedAtMs + limits.outsideTokenMaxAgeSec * 1_000 + leewayMs &&
    nowMs < expiresAtMs + leewayMs
  return { issuedAtMs, notBeforeMs, expiresAtMs, matches }
}

/** Returns a NumericDate in milliseconds; undefined if it is none. */
function millisecondsOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < 1e11 ? value * 1_000 : undefined
}

function comparisonOf(expected: string, actual: unknown, matches: boolean) {
  return { expected, actual: actual === undefined ? undefined : shown(actual), matches }
}

/** C0 and C1 controls, and what changes the direction of writing. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Returns a claim for people: without control characters, and cut. */
export function shown(claim: unknown, maxCharacters = maxShownCharacters): string {
  const text = (typeof claim === 'string' ? claim : JSON.stringify(claim)).toWellFormed().replace(unprintable, ' ')
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).toWellFormed()}…`
}

/**
 * Returns the first reason against a token, as a sentence without what the trust expects; undefined if there is none. It shows claims
 * of the token only if its signature is valid.
 */
export function problemOf({
  signature,
  issuer,
  audience,
  times,
  proposedChange,
  claims,
}: Examination): string | undefined {
  if (signature === 'unreadable') return `The token ${unreadable}`
  if (!issuer.matches) return 'The token is of another issuer: use a trust for the platform that issued it.'
  if (signature === 'unavailable')
    return 'The keys of the issuer cannot be fetched at the moment, so the token cannot be checked: try again later.'
  if (signature === 'invalid')
    return 'No key of the issuer has signed the token: send the token unchanged, and check the keys of the trust.'
  if (!times.matches)
    return 'The token is not valid at this time, or older than a day: request a new one for each exchange.'
  const wrong = [
    ...(audience.matches ? [] : [{ name: 'aud', actual: audience.actual }]),
    ...claims.filter(({ matches }) => !matches),
  ]
  if (wrong.length > 0) {
    const list = wrong.map(({ name, actual }) =>
      actual === undefined ? `no ${name}` : `${name} = ${shown(actual, 200)}`,
    )
    return `The token does not match the trust. It has ${list.join(', ')}: correct the job, or the trust.`
  }
  if (!proposedChange.matches)
    return 'The token is of a run for a pull request or of a fork, which anyone may cause: run the job for a branch, or allow forks in the trust.'
  return undefined
}
