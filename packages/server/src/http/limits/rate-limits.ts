/**
 * Limits the requests of each caller and, where the caller is unknown, of each address (docs/decisions/0018). Each node counts
 * its own requests in memory. Limits that must be exact across nodes, such as that of wrong user codes, count in the database.
 */
import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '@rollkey/contract'
import type { Caller } from '../../auth/authenticate.ts'
import { countText } from '../../base/count-text.ts'
import type { Clock } from '../../base/clock.ts'
import { ApiError } from '../../base/api-error.ts'
import { networkOf, type AddressOf } from './client-address.ts'
import { RateLimit, type Policy, type BucketState } from './rate-limit.ts'
import type { Headers } from '../reply.ts'

/** Requests per minute; 0: unlimited. */
interface RequestsPerMinute {
  /** Maximum requests of a caller to endpoints other than evaluation. */
  readonly requests: number
  /** Maximum requests of a caller to the evaluation endpoints. */
  readonly evaluations: number
  /** Maximum requests with a client key from an address. */
  readonly clientKeys: number
  /** Maximum expensive reads of a caller. They also count as requests. */
  readonly expensive: number
  /** Maximum device logins that an address may start. Each is stored. The other limits of addresses are multiples of it. */
  readonly address: number
}

const unknownPerLogin = 10
const anonymousPerLogin = 100
/** A request to the embedded identity provider costs some ten times as much as an anonymous API request. */
const identityPerLogin = 2

/** The kind of a path of the embedded identity provider. Each kind has its limit. */
export type IdentityPath = 'passwords' | 'links' | 'passkeys' | 'identity'

/**
 * Limits of an address that no setting changes: hashing a password costs some 60 ms of a core, and each passkey challenge is
 * stored.
 */
const strictPolicies: readonly (Policy & { readonly name: IdentityPath })[] = [
  { name: 'passwords', quota: 3, windowSec: 10 },
  { name: 'links', quota: 20, windowSec: 60 },
  { name: 'passkeys', quota: 100, windowSec: 10 },
]

/** What of an endpoint decides about its limit. */
export type LimitedEndpoint = Pick<Endpoint, 'auth' | 'metered' | 'expensive'>

export interface RateLimitParts {
  readonly maxPerMinute: RequestsPerMinute
  readonly addressOf: AddressOf
  readonly clock: Clock
}

/** A request, and the headers of its answer. */
export interface RateLimitSubject {
  readonly request: IncomingMessage
  common: Headers
  /** Whether the service has looked up its credential. */
  hasTriedCredential: boolean
}

export class RateLimits {
  readonly #addressOf: AddressOf
  readonly #clock: Clock
  readonly #requests: RateLimit | undefined
  readonly #evaluations: RateLimit | undefined
  readonly #clientKeys: RateLimit | undefined
  readonly #expensive: RateLimit | undefined
  readonly #logins: RateLimit | undefined
  readonly #anonymous: RateLimit | undefined
  readonly #unknown: RateLimit | undefined
  readonly #identity: ReadonlyMap<IdentityPath, RateLimit>
  /** Refusals since the start, by the name of the limit. */
  readonly refused = new Map<string, number>()

  constructor({ maxPerMinute, addressOf, clock }: RateLimitParts) {
    const { requests, evaluations, clientKeys, expensive, address } = maxPerMinute
    this.#addressOf = addressOf
    this.#clock = clock
    this.#requests = perMinute('requests', requests)
    this.#evaluations = perMinute('evaluations', evaluations)
    this.#clientKeys = perMinute('client-keys', clientKeys)
    this.#expensive = perMinute('expensive', expensive)
    this.#logins = perMinute('logins', address)
    this.#anonymous = perMinute('anonymous', address * anonymousPerLogin)
    this.#unknown = perMinute('unknown', address * unknownPerLogin)
    const identity = perTenSeconds('identity', address * identityPerLogin)
    this.#identity = new Map([...strictPolicies, ...identity].map((policy) => [policy.name, new RateLimit(policy)]))
  }

  /** Counts a request for its caller or, at endpoints without authentication, its address. Returns the refusal, if any. */
  count(
    name: string,
    endpoint: LimitedEndpoint,
    subject: RateLimitSubject,
    caller: Caller | undefined,
  ): ApiError | undefined {
    const clientKey = this.clientKeyOf(subject, caller)
    const isPublic = caller?.session?.scope?.clientKey !== undefined
    const limit = isPublic ? this.#clientKeys : this.#limitOf(endpoint, name)
    const refusal = limit && this.#take(limit, clientKey, subject)
    if (refusal || !endpoint.expensive) return refusal
    return this.#expensive && this.#take(this.#expensive, clientKey, subject)
  }

  /** Counts what a request carries, as further requests of its caller, up to the quota. Returns the refusal, if any. */
  countFurther(requests: number, subject: RateLimitSubject, caller: Caller): ApiError | undefined {
    const limit = this.#requests
    if (!limit) return undefined
    return this.#take(limit, this.clientKeyOf(subject, caller), subject, Math.min(requests, limit.quota - 1))
  }

  /** Counts a request to the embedded identity provider for its address. Returns the refusal, if any. */
  countIdentity(path: IdentityPath, subject: Pick<RateLimitSubject, 'request' | 'common'>): ApiError | undefined {
    const limit = this.#identity.get(path)
    return limit && this.#take(limit, this.networkOf(subject), subject)
  }

  #limitOf({ metered, auth }: LimitedEndpoint, name: string): RateLimit | undefined {
    if (metered) return this.#evaluations
    if (auth !== 'none') return this.#requests
    return name === 'deviceStart' ? this.#logins : this.#anonymous
  }

  /**
   * Throws RATE_LIMITED if this address has presented too many unknown credentials. Must be called before a credential is looked
   * up.
   */
  assertMayAuthenticate(subject: RateLimitSubject): void {
    const key = this.networkOf(subject)
    if (this.#unknown?.isExhausted(key, this.#clock.now())) throw this.#take(this.#unknown, key, subject) as ApiError
    subject.hasTriedCredential = true
  }

  /** Counts a request that was refused because its credential is unknown. */
  countUnknown(subject: RateLimitSubject): void {
    if (subject.hasTriedCredential && this.#unknown) this.#take(this.#unknown, this.networkOf(subject), subject)
  }

  /** Returns the key that a request is counted for: its caller, its address, or with a client key both. */
  clientKeyOf(subject: RateLimitSubject, caller: Caller | undefined): string {
    if (!caller) return this.networkOf(subject)
    // Everyone has the same client key.
    return caller.session?.scope?.clientKey ? `${keyOf(caller)} ${this.networkOf(subject)}` : keyOf(caller)
  }

  /** Returns the client address of a request or, for IPv6, its network. */
  networkOf({ request }: Pick<RateLimitSubject, 'request'>): string {
    return networkOf(this.#addressOf(request))
  }

  #take(
    limit: RateLimit,
    key: string,
    subject: Pick<RateLimitSubject, 'common'>,
    requests?: number,
  ): ApiError | undefined {
    const state = limit.take(key, this.#clock.now(), requests)
    subject.common = [...limit.withoutHeaders(subject.common), ...limit.headersOf(state)]
    if (state.isAllowed) return undefined
    this.countRefusal(limit.name)
    return refusalOf(state)
  }

  /** Counts a refusal for the metrics. */
  countRefusal(limit: string): void {
    this.refused.set(limit, (this.refused.get(limit) ?? 0) + 1)
  }
}

function perMinute(name: string, quota: number): RateLimit | undefined {
  return quota === 0 ? undefined : new RateLimit({ name, quota, windowSec: 60 })
}

/** Returns a policy with a window of ten seconds, which keeps bursts small. */
function perTenSeconds<Name extends string>(name: Name, quota: number): (Policy & { readonly name: Name })[] {
  return quota === 0 ? [] : [{ name, quota: Math.ceil(quota / 6), windowSec: 10 }]
}

/** Returns the key of a caller: the session or service token, the trust, or the person within the organization of their provider token. */
function keyOf({ orgId, userId, session }: Caller): string {
  // All tokens of a trust count together: otherwise an exchange would give it a fresh limit.
  return session?.scope?.trustId ?? session?.id ?? `${orgId} ${userId}`
}

function refusalOf({ spreadSec }: BucketState): ApiError {
  const time = countText(spreadSec, 'second')
  return new ApiError('RATE_LIMITED', `Too many requests; try again in ${time}.`, { 'retry-after': String(spreadSec) })
}
