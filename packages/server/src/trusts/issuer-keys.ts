/**
 * The keys of the issuers whose tokens can be exchanged: the well-known ones, and those that the operator names. The service never
 * connects to an address that a member typed. Each issuer has its own fetches, so one that hangs delays no other.
 */
import { wellKnownIssuer } from '@rollkey/contract'
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { externalKeys, ProviderKeys } from '../auth/jwks.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** Maximum issuers whose keys are in memory. Some platforms have an issuer for each customer. */
const maxIssuers = 500
const maxPasted = 200

/** The keys of an issuer. */
export interface IssuerKeys {
  /** Throws SERVICE_UNAVAILABLE. */
  current(): Promise<JWTVerifyGetKey>
  /** Returns undefined if there are no newer keys. */
  newerThan(keys: JWTVerifyGetKey): Promise<JWTVerifyGetKey | undefined>
}

export class TrustedIssuers {
  readonly #listed: ReadonlySet<string>
  readonly #clock: Clock
  readonly #log: Log
  /** The least recently used first. */
  readonly #byIssuer = new Map<string, ProviderKeys>()
  /** Keys that were pasted, by their text, so that each is imported once. */
  readonly #pasted = new LRUCache<string, IssuerKeys>({ max: maxPasted })

  /** `listed`: the issuers that the operator names. */
  constructor({ listed, clock, log }: { listed: readonly string[]; clock: Clock; log: Log }) {
    this.#listed = new Set(listed)
    this.#clock = clock
    this.#log = log
  }

  /** Returns whether the service fetches the keys of an issuer. */
  includes(issuer: string): boolean {
    return this.#listed.has(issuer) || wellKnownIssuer(issuer) !== undefined
  }

  /** Returns the keys of an issuer, or those that were pasted. Returns undefined if the issuer is not known, such as no longer. */
  keysOf({ issuer, jwks }: { readonly issuer: string; readonly jwks: string | undefined }): IssuerKeys | undefined {
    if (jwks !== undefined) return this.#pastedKeys(jwks)
    if (!this.includes(issuer)) return undefined
    const known = this.#byIssuer.get(issuer)
    const keys = known ?? new ProviderKeys(externalKeys(issuer, undefined), this.#clock, this.#log)
    this.#byIssuer.delete(issuer)
    this.#byIssuer.set(issuer, keys)
    if (this.#byIssuer.size > maxIssuers) this.#forgetOne()
    return keys
  }

  /** Forgets an issuer whose keys could not be fetched or, if there is none, the one that was not used for the longest time. */
  #forgetOne(): void {
    const [oldest] = this.#byIssuer.keys()
    const useless = [...this.#byIssuer].slice(0, -1).find(([, keys]) => !keys.isKnown)?.[0]
    this.#byIssuer.delete(useless ?? oldest ?? '')
  }

  #pastedKeys(text: string): IssuerKeys {
    const known = this.#pasted.get(text)
    if (known) return known
    const local = createLocalJWKSet(JSON.parse(text) as JSONWebKeySet)
    const keys: IssuerKeys = { current: async () => local, newerThan: async () => undefined }
    this.#pasted.set(text, keys)
    return keys
  }
}
