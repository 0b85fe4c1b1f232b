/** JWTs of the OpenID provider (RFC 7519; mistakes to avoid: RFC 8725). RULINGS, "Identity". */
import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { limits } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import type { ProviderKeys } from './jwks.ts'

/** Asymmetric only: with a symmetric one, the public key would be the secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** Types of tokens that grant access; an id token or a logout token is for another use. */
const types = new Set([undefined, 'JWT', 'at+jwt', 'application/at+jwt'])

export interface TokenRules {
  readonly issuer: string
  /** The audience that tokens must name. */
  readonly audience: string | undefined
  /** Parties of which tokens must name one; empty: any. */
  readonly authorizedParties: readonly string[]
  /** The client of the web application: audience or party of tokens if neither of those is set. */
  readonly clientId: string | undefined
  /** Dotted paths of the claims. */
  readonly orgIdClaim: string
  readonly orgSlugClaim: string
}

/** Who a valid token with an active organization says the caller is. */
export interface ProviderIdentity {
  readonly userId: string
  readonly idpOrgId: string
  readonly orgSlug: string
  /** When the provider issued the token, so knew the user as a member. */
  readonly issuedAtMs: number
  /** When the person last proved to the provider who they are; undefined if it does not say. */
  readonly authenticatedAtMs: number | undefined
}

/**
 * Why a token does not count, from the first check to the last: it cannot be read, its signature fits no key, its issuer or
 * its time is wrong, it is for another application, it names no organization.
 */
export type Refusal = 'unreadable' | 'signature' | 'issuer' | 'time' | 'audience' | 'organization'

/** The value at a dotted path, own properties only. */
function claimAt(payload: JWTPayload, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, part) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, part) ? (at as JWTPayload)[part] : undefined,
      payload,
    )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function authenticatedAtMs(payload: JWTPayload): number | undefined {
  const seconds = payload['auth_time']
  return typeof seconds === 'number' ? seconds * 1_000 : undefined
}

export class ProviderTokens {
  readonly #rules: TokenRules
  readonly #keys: ProviderKeys
  readonly #clock: Clock

  constructor(rules: TokenRules, keys: ProviderKeys, clock: Clock) {
    this.#rules = rules
    this.#keys = keys
    this.#clock = clock
  }

  /** Undefined for a token that is not valid or has no active organization. Throws if the keys cannot be had. */
  async verify(token: string): Promise<ProviderIdentity | undefined> {
    const found = await this.examine(token)
    return typeof found === 'string' ? undefined : found
  }

  /** Who the token says the caller is, or why it does not count. Throws if the keys cannot be had. */
  async examine(token: string): Promise<ProviderIdentity | Refusal> {
    if (!hasPlainHeader(token)) return 'unreadable'
    const payload = await this.#payload(token)
    if (typeof payload === 'string') return payload
    if (!this.#isForUs(payload)) return 'audience'
    return this.#identity(payload) ?? 'organization'
  }

  async #payload(token: string): Promise<JWTPayload | Refusal> {
    const keys = await this.#keys.current()
    const found = await this.#check(token, keys)
    if (!(found instanceof errors.JOSEError)) return found
    if (!this.#maySayOfNewKeys(found)) return refusalOf(found)
    const newer = await this.#keys.newerThan(keys)
    const again = newer ? await this.#check(token, newer) : found
    return again instanceof errors.JOSEError ? refusalOf(again) : again
  }

  async #check(token: string, keys: JWTVerifyGetKey): Promise<JWTPayload | errors.JOSEError> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms,
        issuer: this.#rules.issuer,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: limits.providerTokenLeewaySec,
        currentDate: new Date(this.#clock.now()),
      })
      return payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return error
      throw error
    }
  }

  #maySayOfNewKeys(error: errors.JOSEError): boolean {
    if (error instanceof errors.JWKSNoMatchingKey) return true
    return this.#keys.mayReuseIds && error instanceof errors.JWSSignatureVerificationFailed
  }

  /** A token that the provider issued to another application is no credential here. */
  #isForUs(payload: JWTPayload): boolean {
    const { audience, authorizedParties, clientId } = this.#rules
    const audiences = [payload.aud ?? []].flat()
    // Access tokens name their party in client_id (RFC 9068, section 2.2), id tokens and those of Clerk in azp.
    const party = payload['azp'] ?? payload['client_id']
    if (audience !== undefined && !audiences.includes(audience)) return false
    if (authorizedParties.length > 0 && !(isText(party) && authorizedParties.includes(party))) return false
    if (isIdToken(payload)) return audiences.some((each) => each === audience || each === clientId)
    const isSettled = audience !== undefined || authorizedParties.length > 0 || clientId === undefined
    return isSettled || audiences.includes(clientId) || party === clientId
  }

  #identity(payload: JWTPayload): ProviderIdentity | undefined {
    const { orgIdClaim, orgSlugClaim } = this.#rules
    // Clerk's version 2 tokens carry the organization in `o`.
    const idpOrgId = claimAt(payload, orgIdClaim) ?? claimAt(payload, 'o.id')
    const orgSlug = claimAt(payload, orgSlugClaim) ?? claimAt(payload, 'o.slg')
    if (!isText(payload.sub) || !isText(idpOrgId) || !isText(orgSlug)) return undefined
    return {
      userId: payload.sub,
      idpOrgId,
      orgSlug,
      issuedAtMs: (payload.iat ?? 0) * 1_000,
      authenticatedAtMs: authenticatedAtMs(payload),
    }
  }
}

/** It tells a client of the provider who signed in, and is no credential for anybody else. */
function isIdToken(payload: JWTPayload): boolean {
  return Object.hasOwn(payload, 'nonce') || Object.hasOwn(payload, 'at_hash')
}

function refusalOf(error: errors.JOSEError): Refusal {
  if (error instanceof errors.JWTExpired) return 'time'
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return 'issuer'
    return ['nbf', 'iat', 'exp'].includes(error.claim) ? 'time' : 'unreadable'
  }
  const isOfKeys =
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  return isOfKeys ? 'signature' : 'unreadable'
}

/** A `kid` of another type would be passed over instead of compared; `jku`, `jwk`, `x5u` and `x5c` are not looked at. */
function hasPlainHeader(token: string): boolean {
  try {
    const { kid, typ } = decodeProtectedHeader(token) as { kid?: unknown; typ?: unknown }
    return (kid === undefined || typeof kid === 'string') && types.has(typ as string | undefined)
  } catch {
    return false
  }
}
