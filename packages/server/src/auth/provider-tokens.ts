/** Verifies JWTs of the OpenID provider (RFC 7519; mistakes to avoid: RFC 8725; docs/identity.md). */
import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { limits } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { claimAt } from './claims.ts'
import type { ProviderKeys } from './jwks.ts'
import { groupNamesIn } from './reported-groups.ts'
import type { SignIn } from './sign-in.ts'

/** Only asymmetric algorithms: with a symmetric one, the public key would act as the secret. */
export const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
/** The claim of the embedded provider's tokens that says how the person signed in. */
export const signInClaim = 'sign_in'
/** The `typ` values of access tokens. Other values, such as that of a logout token, are refused. */
const types = new Set([undefined, 'JWT', 'at+jwt', 'application/at+jwt'])

export interface TokenRules {
  readonly issuer: string
  /** The audience that tokens must name. */
  readonly audience: string | undefined
  /** Authorized parties, one of which a token must name. Empty: any. */
  readonly authorizedParties: readonly string[]
  /** The client id of the web application. Tokens must name it as audience or party if neither setting is set. */
  readonly clientId: string | undefined
  /** Dotted paths of the claims. */
  readonly orgIdClaim: string
  readonly orgSlugClaim: string
  /** The slug of the one organization to which everyone belongs. Undefined: the one in the claims. */
  readonly organization?: string | undefined
  /** Claims as dotted paths, and the values that a token must have there. @default none */
  readonly requiredClaims?: ReadonlyMap<string, string>
  /** Undefined: tokens do not say anything about groups. */
  readonly groupsClaim?: string | undefined
}

/** The identity in a valid token with an active organization. */
export interface ProviderIdentity {
  readonly userId: string
  readonly idpOrgId: string
  readonly orgSlug: string
  /** When the provider issued the token, and therefore knew the user as a member. */
  readonly issuedAtMs: number
  /** When the person last authenticated at the provider; undefined if the token does not say. */
  readonly authenticatedAtMs: number | undefined
  /** How the token says that the person signed in; `other` if it does not say. */
  readonly signIn: SignIn
  /** What the provider calls the person's groups; undefined if tokens do not say. */
  readonly groups: readonly string[] | undefined
}

/**
 * The reason that a token is refused, in the order of the checks: it cannot be parsed, its signature matches no key, its issuer
 * or its time is wrong, it is for another application, it does not have the required claims, it names no organization.
 */
export type TokenRefusal = 'unreadable' | 'signature' | 'issuer' | 'time' | 'audience' | 'claims' | 'organization'

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Returns a text, a boolean or a number as a text. */
function textOf(value: unknown): string | undefined {
  return ['string', 'boolean', 'number'].includes(typeof value) ? String(value) : undefined
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

  /** Returns undefined for a token that is not valid or has no active organization. Throws if there are no keys. */
  async verify(token: string): Promise<ProviderIdentity | undefined> {
    const result = await this.examine(token)
    return typeof result === 'string' ? undefined : result
  }

  /** Returns the identity in the token, or the reason that it is refused. Throws if there are no keys. */
  async examine(token: string): Promise<ProviderIdentity | TokenRefusal> {
    if (!hasAcceptedHeader(token)) return 'unreadable'
    const payload = await this.#payload(token)
    if (typeof payload === 'string') return payload
    if (!this.#isForThisService(payload)) return 'audience'
    if (!this.#hasRequiredClaims(payload)) return 'claims'
    return this.#identity(payload) ?? 'organization'
  }

  async #payload(token: string): Promise<JWTPayload | TokenRefusal> {
    const keys = await this.#keys.current()
    const result = await this.#check(token, keys)
    if (!(result instanceof errors.JOSEError)) return result
    if (!this.#mayHaveNewKey(result)) return refusalOf(result)
    const newer = await this.#keys.newerThan(keys)
    const retried = newer ? await this.#check(token, newer) : result
    return retried instanceof errors.JOSEError ? refusalOf(retried) : retried
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

  /** Returns whether the token may be signed by a key that was published after the last fetch. */
  #mayHaveNewKey(error: errors.JOSEError): boolean {
    if (error instanceof errors.JWKSNoMatchingKey) return true
    return this.#keys.mayReuseIds && error instanceof errors.JWSSignatureVerificationFailed
  }

  /** Returns whether the provider issued the token for this service. Tokens for other applications are refused. */
  #isForThisService(payload: JWTPayload): boolean {
    const { audience, authorizedParties, clientId } = this.#rules
    const audiences = [payload.aud ?? []].flat()
    // Access tokens name their party in client_id (RFC 9068, section 2.2). ID tokens and Clerk's tokens name it in azp.
    const party = payload['azp'] ?? payload['client_id']
    if (audience !== undefined && !audiences.includes(audience)) return false
    if (authorizedParties.length > 0 && !(isText(party) && authorizedParties.includes(party))) return false
    if (isIdToken(payload)) return audiences.some((each) => each === audience || each === clientId)
    const isSettled = audience !== undefined || authorizedParties.length > 0 || clientId === undefined
    return isSettled || audiences.includes(clientId) || party === clientId
  }

  #hasRequiredClaims(payload: JWTPayload): boolean {
    const required = [...(this.#rules.requiredClaims ?? [])]
    // A list, such as one of groups, must contain the value.
    return required.every(([path, value]) => [claimAt(payload, path)].flat().some((actual) => textOf(actual) === value))
  }

  #identity(payload: JWTPayload): ProviderIdentity | undefined {
    const { organization, orgIdClaim, orgSlugClaim, groupsClaim } = this.#rules
    // Clerk's version 2 tokens carry the organization in `o`.
    const idpOrgId = organization ?? claimAt(payload, orgIdClaim) ?? claimAt(payload, 'o.id')
    const orgSlug = organization ?? claimAt(payload, orgSlugClaim) ?? claimAt(payload, 'o.slg')
    if (!isText(payload.sub) || !isText(idpOrgId) || !isText(orgSlug)) return undefined
    return {
      userId: payload.sub,
      idpOrgId,
      orgSlug,
      issuedAtMs: (payload.iat ?? 0) * 1_000,
      authenticatedAtMs: authenticatedAtMs(payload),
      signIn: signInIn(payload),
      groups: groupsClaim === undefined ? undefined : groupNamesIn(claimAt(payload, groupsClaim)),
    }
  }
}

function signInIn({ [signInClaim]: claim }: JWTPayload): SignIn {
  return claim === 'company' || claim === 'second-factor' ? claim : 'other'
}

/** Returns whether the token is an ID token, which tells only the client that it names who signed in. */
function isIdToken(payload: JWTPayload): boolean {
  return Object.hasOwn(payload, 'nonce') || Object.hasOwn(payload, 'at_hash')
}

function refusalOf(error: errors.JOSEError): TokenRefusal {
  if (error instanceof errors.JWTExpired) return 'time'
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return 'issuer'
    return ['nbf', 'iat', 'exp'].includes(error.claim) ? 'time' : 'unreadable'
  }
  const isKeyError =
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  return isKeyError ? 'signature' : 'unreadable'
}

/**
 * Returns whether `kid` is absent or a string and `typ` is that of an access token. A `kid` of another type would be ignored
 * instead of compared. The service ignores `jku`, `jwk`, `x5u` and `x5c`.
 */
function hasAcceptedHeader(token: string): boolean {
  try {
    const { kid, typ } = decodeProtectedHeader(token) as { kid?: unknown; typ?: unknown }
    return (kid === undefined || typeof kid === 'string') && types.has(typ as string | undefined)
  } catch {
    return false
  }
}
