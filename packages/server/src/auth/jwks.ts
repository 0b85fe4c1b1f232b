/**
 * The provider's signing keys: kept for a time, asked for again when a token names an unknown key, but never more often
 * than the cool-down allows, whether the asking succeeds or fails. While the provider is down the last keys stand. Those
 * of an outside provider are found by discovery (OpenID Connect Discovery 1.0, section 4) or a setting.
 */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { reasonOf, type Log } from '../base/log.ts'

/** While no key is known at all, every token waits for the provider. */
const firstCoolDownMs = 1_000
const staleMs = 24 * 60 * 60_000
const timeoutMs = 5_000
const mostBytes = 256 * 1024

/** Where the keys come from. */
export interface KeySource {
  /** For the log. */
  readonly issuer: string
  load(): Promise<JSONWebKeySet>
  /** So long loaded keys are good. */
  readonly freshMs: number
  /** So long after a load none is tried again. */
  readonly coolDownMs: number
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const text = await response.text()
  if (text.length > mostBytes) throw new Error('answer too large')
  return JSON.parse(text) as Record<string, unknown>
}

/** https, or http to this very machine. */
export function isTrustworthyUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol === 'https:') return true
  return url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
}

async function discoverKeys(issuer: string): Promise<string> {
  const metadata = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (metadata['issuer'] !== issuer) throw new Error('the metadata is of another issuer')
  const url = metadata['jwks_uri']
  if (typeof url !== 'string' || !isTrustworthyUrl(url)) throw new Error('jwks_uri is missing or not https')
  return url
}

/** `jwksUrl`: if given, no discovery. */
export function outsideKeys(issuer: string, jwksUrl: string | undefined): KeySource {
  const load = async (): Promise<JSONWebKeySet> =>
    (await fetchJson(jwksUrl ?? (await discoverKeys(issuer)))) as unknown as JSONWebKeySet
  return { issuer, load, freshMs: 10 * 60_000, coolDownMs: 30_000 }
}

/** Keys at hand: one that was taken away is refused a second later. */
export function ownKeys(issuer: string, load: () => Promise<JSONWebKeySet>): KeySource {
  return { issuer, load, freshMs: 1_000, coolDownMs: 0 }
}

export class ProviderKeys {
  readonly #source: KeySource
  readonly #clock: Clock
  readonly #log: Log
  #keys: JWTVerifyGetKey | undefined
  #fetchedAtMs = -Infinity
  #triedAtMs = -Infinity
  #fetching: Promise<void> | undefined

  constructor(source: KeySource, clock: Clock, log: Log) {
    this.#source = source
    this.#clock = clock
    this.#log = log
  }

  /** The keys as far as they are known. Throws SERVICE_UNAVAILABLE if there are none to judge by. */
  async current(): Promise<JWTVerifyGetKey> {
    if (Math.abs(this.#clock.now() - this.#fetchedAtMs) > this.#source.freshMs) await this.#refetch()
    if (!this.#keys || this.#clock.now() - this.#fetchedAtMs > staleMs) {
      throw new Fault('SERVICE_UNAVAILABLE', 'The identity provider cannot be reached to check the token.')
    }
    return this.#keys
  }

  /** To be called when a token names a key that is not there; the keys may have been rotated. */
  async afterUnknownKey(): Promise<JWTVerifyGetKey> {
    await this.#refetch()
    return this.current()
  }

  async #refetch(): Promise<void> {
    if (this.#fetching) return this.#fetching
    const nowMs = this.#clock.now()
    const coolDown = Math.min(this.#source.coolDownMs, this.#keys ? Infinity : firstCoolDownMs)
    if (Math.abs(nowMs - this.#triedAtMs) < coolDown) return
    this.#triedAtMs = nowMs
    this.#fetching = this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return this.#fetching
  }

  async #fetch(): Promise<void> {
    try {
      this.#keys = createLocalJWKSet(await this.#source.load())
      this.#fetchedAtMs = this.#clock.now()
    } catch (error) {
      this.#log.warn('the keys of the identity provider could not be fetched', {
        url: this.#source.issuer,
        reason: reasonOf(error),
      })
    }
  }
}
