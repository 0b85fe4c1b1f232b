/**
 * A limit of how often somebody may ask: for each key a bucket of `quota` requests, which fills again evenly in `windowSec`.
 * Told to clients as in draft-ietf-httpapi-ratelimit-headers-11.
 */
import { LRUCache } from 'lru-cache'
import type { Headers } from './reply.ts'

export interface Policy {
  readonly name: string
  /** Requests, all of which may come at once. */
  readonly quota: number
  readonly windowSec: number
}

interface Bucket {
  /** What is left, in requests times the milliseconds of the window: whole numbers, so that nothing is rounded away. */
  credit: number
  asOfMs: number
}

/** What became of a request. */
export interface BucketState {
  readonly isAllowed: boolean
  /** Requests that are left. */
  readonly remaining: number
  /** The seconds over which to spread them; none left: until there is one. */
  readonly spreadSec: number
}

/** Of more, the least recently used are forgotten: whoever has that many addresses has their quotas anyway. */
const maxKeys = 50_000

export class RateLimit {
  readonly name: string
  readonly #quota: number
  readonly #windowMs: number
  readonly #policyText: string
  readonly #buckets = new LRUCache<string, Bucket>({ maxSize: maxKeys, sizeCalculation: () => 1 })

  constructor({ name, quota, windowSec }: Policy) {
    this.name = name
    this.#quota = quota
    this.#windowMs = windowSec * 1_000
    this.#policyText = `"${name}";q=${quota};w=${windowSec}`
  }

  /** Counts a request if it is allowed. */
  take(key: string, nowMs: number): BucketState {
    let bucket = this.#buckets.get(key)
    if (bucket) this.#refill(bucket, nowMs)
    else this.#buckets.set(key, (bucket = { credit: this.#quota * this.#windowMs, asOfMs: nowMs }))
    const isAllowed = bucket.credit >= this.#windowMs
    if (isAllowed) bucket.credit -= this.#windowMs
    const remaining = Math.floor(bucket.credit / this.#windowMs)
    const wanted = remaining === 0 ? this.#windowMs - bucket.credit : remaining * this.#windowMs
    return { isAllowed, remaining, spreadSec: Math.ceil(wanted / this.#quota / 1_000) }
  }

  /** Whether a request would be refused; nothing is counted. */
  isSpent(key: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(key)
    if (!bucket) return false
    this.#refill(bucket, nowMs)
    return bucket.credit < this.#windowMs
  }

  /** A clock that was set back takes nothing away. */
  #refill(bucket: Bucket, nowMs: number): void {
    const gained = Math.max(0, nowMs - bucket.asOfMs) * this.#quota
    bucket.credit = Math.min(this.#quota * this.#windowMs, bucket.credit + gained)
    bucket.asOfMs = nowMs
  }

  headersOf({ remaining, spreadSec }: BucketState): Headers {
    return ['ratelimit-policy', this.#policyText, 'ratelimit', `"${this.name}";r=${remaining};t=${spreadSec}`]
  }
}
