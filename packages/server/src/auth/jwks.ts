/**
 * The provider's signing keys: kept for a time, and asked for again when a token names an unknown key or its signature does
 * not fit, but never more often than the cool-down allows, whether the asking succeeds or fails. While the provider is slow
 * or down the last keys stand. Those of an outside provider are found by discovery (OpenID Connect Discovery 1.0, section 4)
 * or a setting.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { boundedText } from '../base/bounded-body.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { activeTimeout } from '../base/active-timeout.ts'

/** While no key is known at all, every token waits for the provider. */
const firstCoolDownMs = 1_000
const staleMs = 24 * 60 * 60_000
/** For discovery and keys together, each to the last byte. */
const usualTimeoutMs = 5_000
/** How long tokens wait for new keys while older ones stand, or after a fetch that made them wait for nothing. */
const patienceMs = 250
/** The share of the time-out after which a fetch that fails made tokens wait for nothing. */
const slowShare = 0.2
const maxBytes = 256 * 1024

/** Where the keys come from. */
export interface KeySource {
  /** For the log. */
  readonly issuer: string
  load(): Promise<JSONWebKeySet>
  /** So long loaded keys are good. */
  readonly freshMs: number
  /** So long after a load none is tried again. */
  readonly coolDownMs: number
  /** How long a load that fails must have taken for the next one not to be waited for. */
  readonly slowMs: number
  /** Whether it is another service, which may be slow and may put a new key under the id of an old one. */
  readonly isOutside: boolean
}

async function fetchJson(url: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const response = await fetch(url, { redirect: 'error', signal })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return JSON.parse(await boundedText(response, maxBytes)) as Record<string, unknown>
}

/** https, or http to this very machine. */
export function isTrustworthyUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol === 'https:') return true
  return url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
}

async function discoverKeys(issuer: string, signal: AbortSignal): Promise<string> {
  const metadata = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal)
  if (metadata['issuer'] !== issuer) throw new Error('the metadata is of another issuer')
  const url = metadata['jwks_uri']
  if (typeof url !== 'string' || !isTrustworthyUrl(url)) throw new Error('jwks_uri is missing or not https')
  return url
}

/** `jwksUrl`: if given, no discovery. */
export function externalKeys(issuer: string, jwksUrl: string | undefined, timeoutMs = usualTimeoutMs): KeySource {
  const load = async (): Promise<JSONWebKeySet> => {
    const signal = AbortSignal.timeout(timeoutMs)
    const url = jwksUrl ?? (await discoverKeys(issuer, signal))
    return (await fetchJson(url, signal)) as unknown as JSONWebKeySet
  }
  const slowMs = timeoutMs * slowShare
  return { issuer, load, freshMs: 10 * 60_000, coolDownMs: 30_000, slowMs, isOutside: true }
}

/** Keys at hand: one that was taken away is refused a second later. */
export function ownKeys(issuer: string, load: () => Promise<JSONWebKeySet>): KeySource {
  return { issuer, load, freshMs: 1_000, coolDownMs: 0, slowMs: Infinity, isOutside: false }
}

/** A fetch that is under way. It never rejects. */
interface Fetching {
  readonly done: Promise<void>
  /** Ends when tokens have waited long enough for it. */
  readonly patience: Promise<void>
}

export class ProviderKeys {
  readonly #source: KeySource
  readonly #clock: Clock
  readonly #log: Log
  #keys: JWTVerifyGetKey | undefined
  #fetchedAtMs = -Infinity
  #triedAtMs = -Infinity
  #wasSlow = false
  #fetching: Fetching | undefined

  constructor(source: KeySource, clock: Clock, log: Log) {
    this.#source = source
    this.#clock = clock
    this.#log = log
  }

  get mayReuseIds(): boolean {
    return this.#source.isOutside
  }

  /** The keys as far as they are known. Throws SERVICE_UNAVAILABLE if there are none to judge by. */
  async current(): Promise<JWTVerifyGetKey> {
    if (Math.abs(this.#clock.now() - this.#fetchedAtMs) > this.#source.freshMs) {
      await this.#refetch(this.#keys !== undefined && this.#source.isOutside)
    }
    if (!this.#keys || this.#clock.now() - this.#fetchedAtMs > staleMs) {
      throw new ApiError('SERVICE_UNAVAILABLE', 'The identity provider cannot be reached to check the token.')
    }
    return this.#keys
  }

  /**
   * To be called when `keys` do not fit a token: those that were fetched since, or are fetched now; undefined if there are
   * none, or the cool-down forbids to look.
   */
  async newerThan(keys: JWTVerifyGetKey): Promise<JWTVerifyGetKey | undefined> {
    if (keys === this.#keys) await this.#refetch(false)
    return keys === this.#keys ? undefined : this.#keys
  }

  async #refetch(isHasty: boolean): Promise<void> {
    this.#fetching ??= this.#start()
    if (!this.#fetching) return
    const { done, patience: enough } = this.#fetching
    await (isHasty || this.#wasSlow ? Promise.race([done, enough]) : done)
  }

  /** Undefined during the cool-down. */
  #start(): Fetching | undefined {
    const nowMs = this.#clock.now()
    const coolDown = Math.min(this.#source.coolDownMs, this.#keys ? Infinity : firstCoolDownMs)
    if (Math.abs(nowMs - this.#triedAtMs) < coolDown) return undefined
    this.#triedAtMs = nowMs
    const done = this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return { done, patience: this.#source.isOutside ? activeTimeout(patienceMs) : done }
  }

  async #fetch(): Promise<void> {
    const startedAt = performance.now()
    try {
      this.#keys = createLocalJWKSet(await this.#source.load())
      this.#fetchedAtMs = this.#clock.now()
      this.#wasSlow = false
    } catch (error) {
      this.#wasSlow = performance.now() - startedAt >= this.#source.slowMs
      this.#log.warn('the keys of the identity provider could not be fetched', {
        url: this.#source.issuer,
        reason: reasonOf(error),
      })
    }
  }
}
