/**
 * Caches the provider's signing keys. Fetches them again when they expire, a token names an unknown key, or its signature does
 * not match, but never more often than the cool-down allows, whether fetches succeed or fail. While the provider is slow or
 * down, the last keys stay valid. Keys of an external provider are located by discovery (OpenID Connect Discovery 1.0, section 4)
 * or a setting.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { boundedText } from '../upstream/bounded-body.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { activeTimeout } from '../upstream/active-timeout.ts'
import { isTrustworthyUrl } from '../upstream/trustworthy-url.ts'

/** The cool-down while no keys are known. It is short, because every token waits for the provider. */
const firstCoolDownMs = 1_000
const staleMs = 24 * 60 * 60_000
/** How long discovery and the key request may take together, including their complete responses. */
const defaultTimeoutMs = 5_000
/** How long tokens wait for new keys while older keys are valid, or after a fetch that failed slowly. */
const refreshTimeoutMs = 250
/** The fraction of the timeout after which a failed fetch counts as slow. */
const slowFraction = 0.2
const maxBytes = 256 * 1024

/** The source of the keys. */
export interface KeySource {
  /** The issuer, for the log. */
  readonly issuer: string
  load(): Promise<JSONWebKeySet>
  /** How long loaded keys are valid. */
  readonly freshMs: number
  /** How long after a load no other load starts. */
  readonly coolDownMs: number
  /** The duration from which a failed load counts as slow, so that tokens do not wait for the next one to end. */
  readonly slowMs: number
  /** Whether the source is another service, which may be slow and may reuse the id of an old key for a new one. */
  readonly isExternal: boolean
}

async function fetchJson(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetch(url, { redirect: 'error', signal })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return JSON.parse(await boundedText(response, maxBytes)) as Record<string, unknown>
}

async function discoverKeys(issuer: string, signal: AbortSignal): Promise<string> {
  const metadata = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal)
  if (metadata['issuer'] !== issuer) throw new Error('the metadata names another issuer')
  const url = metadata['jwks_uri']
  if (typeof url !== 'string' || !isTrustworthyUrl(url)) throw new Error('jwks_uri is missing or not https')
  return url
}

/** Returns the key source of an external provider. Uses discovery if `jwksUrl` is undefined. */
export function externalKeys(issuer: string, jwksUrl: string | undefined, timeoutMs = defaultTimeoutMs): KeySource {
  const load = async (): Promise<JSONWebKeySet> => {
    const signal = AbortSignal.timeout(timeoutMs)
    const url = jwksUrl ?? (await discoverKeys(issuer, signal))
    return (await fetchJson(url, signal)) as unknown as JSONWebKeySet
  }
  const slowMs = timeoutMs * slowFraction
  return { issuer, load, freshMs: 10 * 60_000, coolDownMs: 30_000, slowMs, isExternal: true }
}

/** Returns the key source of the embedded provider. A revoked key is refused a second later. */
export function embeddedKeys(issuer: string, load: () => Promise<JSONWebKeySet>): KeySource {
  return { issuer, load, freshMs: 1_000, coolDownMs: 0, slowMs: Infinity, isExternal: false }
}

/** A running fetch. It never rejects. */
interface PendingFetch {
  readonly done: Promise<void>
  /** Ends when tokens have waited long enough for it. */
  readonly refreshTimeout: Promise<void>
}

export class ProviderKeys {
  readonly #source: KeySource
  readonly #clock: Clock
  readonly #log: Log
  #keys: JWTVerifyGetKey | undefined
  #fetchedAtMs = -Infinity
  #triedAtMs = -Infinity
  #wasSlow = false
  #fetching: PendingFetch | undefined

  constructor(source: KeySource, clock: Clock, log: Log) {
    this.#source = source
    this.#clock = clock
    this.#log = log
  }

  get mayReuseIds(): boolean {
    return this.#source.isExternal
  }

  /** Whether keys were fetched at least once. */
  get isKnown(): boolean {
    return this.#keys !== undefined
  }

  /** Returns the known keys. Throws SERVICE_UNAVAILABLE if there are none or they are too old. */
  async current(): Promise<JWTVerifyGetKey> {
    if (Math.abs(this.#clock.now() - this.#fetchedAtMs) > this.#source.freshMs) {
      await this.#refetch(this.#keys !== undefined && this.#source.isExternal)
    }
    if (!this.#keys || this.#clock.now() - this.#fetchedAtMs > staleMs) {
      throw new ApiError(
        'SERVICE_UNAVAILABLE',
        'The identity provider is unavailable, so the token cannot be checked: try again later.',
      )
    }
    return this.#keys
  }

  /**
   * Returns keys that are newer than `keys`, which do not match a token: keys fetched since then, or fetched now. Returns undefined
   * if there are none or the cool-down forbids a fetch.
   */
  async newerThan(keys: JWTVerifyGetKey): Promise<JWTVerifyGetKey | undefined> {
    if (keys === this.#keys) await this.#refetch(false)
    return keys === this.#keys ? undefined : this.#keys
  }

  async #refetch(mayUseOldKeys: boolean): Promise<void> {
    this.#fetching ??= this.#start()
    if (!this.#fetching) return
    const { done, refreshTimeout } = this.#fetching
    await (mayUseOldKeys || this.#wasSlow ? Promise.race([done, refreshTimeout]) : done)
  }

  /** Starts a fetch. Returns undefined during the cool-down. */
  #start(): PendingFetch | undefined {
    const nowMs = this.#clock.now()
    const coolDown = Math.min(this.#source.coolDownMs, this.#keys ? Infinity : firstCoolDownMs)
    if (Math.abs(nowMs - this.#triedAtMs) < coolDown) return undefined
    this.#triedAtMs = nowMs
    const done = this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return { done, refreshTimeout: this.#source.isExternal ? activeTimeout(refreshTimeoutMs) : done }
  }

  async #fetch(): Promise<void> {
    const startedAt = performance.now()
    try {
      this.#keys = createLocalJWKSet(await this.#source.load())
      this.#fetchedAtMs = this.#clock.now()
      this.#wasSlow = false
    } catch (error) {
      this.#wasSlow = performance.now() - startedAt >= this.#source.slowMs
      this.#log.warn('fetching the keys of the identity provider failed', {
        url: this.#source.issuer,
        reason: reasonOf(error),
      })
    }
  }
}
