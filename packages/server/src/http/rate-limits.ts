/**
 * How often may be asked (decision 18): by each caller, and by each address where nobody is known to call. A node counts in
 * memory, for itself; what has to be exact over nodes is counted in the database, such as wrong user codes.
 */
import type { IncomingMessage } from 'node:http'
import { endpoints, type Endpoint, type EndpointName } from '@rollkey/contract'
import type { Caller } from '../auth/authenticate.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { networkOf, type AddressOf } from './client-address.ts'
import { RateLimit, type Policy, type BucketState } from './rate-limit.ts'
import type { Headers } from './reply.ts'

/** Requests a minute; 0: as many as come. */
interface RateLimitConfig {
  /** Of a caller, to all endpoints but those of evaluation. */
  readonly requests: number
  /** Of a caller, to those of evaluation. */
  readonly evaluations: number
  /** Of a caller, to expensive reads, which count as requests too. */
  readonly expensive: number
  /** Logins that an address may start, each of which is stored; the other limits of addresses are multiples of it. */
  readonly address: number
}

const unknownPerLogin = 10
const anonymousPerLogin = 100
/** A request for a page of the identity provider costs some ten times as much as an anonymous one to the API. */
const identityPerLogin = 2

/** What a page of the embedded identity provider is for; each kind has its limit. */
export type IdentityPath = 'passwords' | 'links' | 'passkeys' | 'identity'

/**
 * Of an address, whatever the settings are: a password that is hashed costs some 60 ms of a core, a challenge of a passkey
 * is stored.
 */
const strictPolicies: readonly (Policy & { readonly name: IdentityPath })[] = [
  { name: 'passwords', quota: 3, windowSec: 10 },
  { name: 'links', quota: 20, windowSec: 60 },
  { name: 'passkeys', quota: 100, windowSec: 10 },
]

export interface RateLimitParts {
  readonly figures: RateLimitConfig
  readonly addressOf: AddressOf
  readonly clock: Clock
}

/** A request, and the headers that its answer is to have. */
export interface RateLimitSubject {
  readonly request: IncomingMessage
  common: Headers
  /** Whether its credential was looked for. */
  hasTried: boolean
}

export class RateLimits {
  readonly #addressOf: AddressOf
  readonly #clock: Clock
  readonly #requests: RateLimit | undefined
  readonly #evaluations: RateLimit | undefined
  readonly #expensive: RateLimit | undefined
  readonly #logins: RateLimit | undefined
  readonly #anonymous: RateLimit | undefined
  readonly #unknown: RateLimit | undefined
  readonly #identity: ReadonlyMap<IdentityPath, RateLimit>
  /** Refusals so far, by the name of the limit. */
  readonly refused = new Map<string, number>()

  constructor({ figures: { requests, evaluations, expensive, address }, addressOf, clock }: RateLimitParts) {
    this.#addressOf = addressOf
    this.#clock = clock
    this.#requests = perMinute('requests', requests)
    this.#evaluations = perMinute('evaluations', evaluations)
    this.#expensive = perMinute('expensive', expensive)
    this.#logins = perMinute('logins', address)
    this.#anonymous = perMinute('anonymous', address * anonymousPerLogin)
    this.#unknown = perMinute('unknown', address * unknownPerLogin)
    const identity = perTenSeconds('identity', address * identityPerLogin)
    this.#identity = new Map([...strictPolicies, ...identity].map((policy) => [policy.name, new RateLimit(policy)]))
  }

  /** Counts a request of its caller or, where none is asked for, of its address. The refusal, if it is refused. */
  count(name: EndpointName, limited: RateLimitSubject, caller: Caller | undefined): ApiError | undefined {
    const endpoint = endpoints[name] as Endpoint
    const holder = this.holderOf(limited, caller)
    const limit = this.#limitOf(endpoint, name)
    const refusal = limit && this.#take(limit, holder, limited)
    if (refusal || !endpoint.expensive) return refusal
    return this.#expensive && this.#take(this.#expensive, holder, limited)
  }

  /** Counts a request to the embedded identity provider by its address. The refusal, if it is refused. */
  countIdentity(path: IdentityPath, limited: Pick<RateLimitSubject, 'request' | 'common'>): ApiError | undefined {
    const limit = this.#identity.get(path)
    return limit && this.#take(limit, this.networkOf(limited), limited)
  }

  #limitOf({ metered, auth }: Endpoint, name: EndpointName): RateLimit | undefined {
    if (metered) return this.#evaluations
    if (auth !== 'none') return this.#requests
    return name === 'deviceStart' ? this.#logins : this.#anonymous
  }

  /** To be asked before a credential is looked for. Throws RATE_LIMITED for an address of too many that nobody has. */
  assertMayTry(limited: RateLimitSubject): void {
    const key = this.networkOf(limited)
    if (this.#unknown?.isSpent(key, this.#clock.now())) throw this.#take(this.#unknown, key, limited) as ApiError
    limited.hasTried = true
  }

  /** Counts a request that was refused as nobody's. */
  countUnknown(limited: RateLimitSubject): void {
    if (limited.hasTried && this.#unknown) this.#take(this.#unknown, this.networkOf(limited), limited)
  }

  /** Whom a request is counted for: its caller or, where none is known, its address. */
  holderOf(limited: RateLimitSubject, caller: Caller | undefined): string {
    return caller ? keyOf(caller) : this.networkOf(limited)
  }

  /** The address that a request comes from, or its network. */
  networkOf({ request }: Pick<RateLimitSubject, 'request'>): string {
    return networkOf(this.#addressOf(request))
  }

  #take(limit: RateLimit, key: string, limited: Pick<RateLimitSubject, 'common'>): ApiError | undefined {
    const taken = limit.take(key, this.#clock.now())
    limited.common = [...limited.common, ...limit.headersOf(taken)]
    if (taken.isAllowed) return undefined
    this.noteRefusal(limit.name)
    return refusalOf(taken)
  }

  /** Counts a refusal for the metrics. */
  noteRefusal(limit: string): void {
    this.refused.set(limit, (this.refused.get(limit) ?? 0) + 1)
  }
}

function perMinute(name: string, quota: number): RateLimit | undefined {
  return quota === 0 ? undefined : new RateLimit({ name, quota, windowSec: 60 })
}

/** So that what may come at once is little. */
function perTenSeconds<Name extends string>(name: Name, quota: number): (Policy & { readonly name: Name })[] {
  return quota === 0 ? [] : [{ name, quota: Math.ceil(quota / 6), windowSec: 10 }]
}

/** A session or service token, or a person with the organization that their tokens of a minute are for. */
function keyOf({ orgId, userId, session }: Caller): string {
  return session?.id ?? `${orgId} ${userId}`
}

function refusalOf({ spreadSec }: BucketState): ApiError {
  const time = spreadSec === 1 ? '1 second' : `${spreadSec} seconds`
  return new ApiError('RATE_LIMITED', `Too many requests; try again in ${time}.`, { 'retry-after': String(spreadSec) })
}
