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
  readonly audience: string | undefined
  /** Allowed `azp`; empty: any. */
  readonly authorizedParties: readonly string[]
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
}

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
    if (!hasPlainHeader(token)) return undefined
    const payload = await this.#payload(token)
    return payload && this.#identity(payload)
  }

  async #payload(token: string): Promise<JWTPayload | undefined> {
    try {
      return await this.#check(token, await this.#keys.current())
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      if (!(error instanceof errors.JWKSNoMatchingKey)) return undefined
    }
    try {
      return await this.#check(token, await this.#keys.afterUnknownKey())
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      return undefined
    }
  }

  async #check(token: string, keys: JWTVerifyGetKey): Promise<JWTPayload> {
    const { issuer, audience } = this.#rules
    const { payload } = await jwtVerify(token, keys, {
      algorithms,
      issuer,
      ...(audience !== undefined && { audience }),
      requiredClaims: ['exp', 'sub'],
      clockTolerance: limits.providerTokenLeewaySec,
      currentDate: new Date(this.#clock.now()),
    })
    return payload
  }

  #identity(payload: JWTPayload): ProviderIdentity | undefined {
    const { authorizedParties, orgIdClaim, orgSlugClaim } = this.#rules
    const azp = payload['azp']
    if (authorizedParties.length > 0 && !(isText(azp) && authorizedParties.includes(azp))) return undefined
    // Clerk's version 2 tokens carry the organization in `o`.
    const idpOrgId = claimAt(payload, orgIdClaim) ?? claimAt(payload, 'o.id')
    const orgSlug = claimAt(payload, orgSlugClaim) ?? claimAt(payload, 'o.slg')
    if (!isText(payload.sub) || !isText(idpOrgId) || !isText(orgSlug)) return undefined
    return { userId: payload.sub, idpOrgId, orgSlug, issuedAtMs: (payload.iat ?? 0) * 1_000 }
  }
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
