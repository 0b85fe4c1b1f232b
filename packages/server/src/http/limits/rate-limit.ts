/**
 * A rate limit with a token bucket per key: a bucket holds `quota` requests and refills evenly within `windowSec`. Clients
 * receive its state in the headers of draft-ietf-httpapi-ratelimit-headers-11.
 */
import { LRUCache } from 'lru-cache'
import type { Headers } from '../reply.ts'

export interface Policy {
  readonly name: string
  /** Maximum requests per window. All of them may come at once. */
  readonly quota: number
  readonly windowSec: number
}

interface Bucket {
  /** The remaining requests, multiplied by the window's milliseconds so that the number is exact. */
  credit: number
  asOfMs: number
}

/** The result of a request, and the state of its bucket. */
export interface BucketState {
  readonly isAllowed: boolean
  /** Remaining requests. */
  readonly remaining: number
  /** The number of seconds over which to spread the remaining requests. If none remain: the seconds until the next one. */
  readonly spreadSec: number
}

/** Maximum keys in memory; the least recently used are evicted first. A client with more addresses than this has all their quotas anyway. */
const maxKeys = 50_000

export class RateLimit {
  readonly name: string
  readonly quota: number
  readonly #windowMs: number
  readonly #policyText: string
  readonly #buckets = new LRUCache<string, Bucket>({ maxSize: maxKeys, sizeCalculation: () => 1 })

  constructor({ name, quota, windowSec }: Policy) {
    this.name = name
    this.quota = quota
    this.#windowMs = windowSec * 1_000
    this.#policyText = `"${name}";q=${quota};w=${windowSec}`
  }

  /** Counts a request, or what counts as several, if it is allowed. */
  take(key: string, nowMs: number, requests = 1): BucketState {
    let bucket = this.#buckets.get(key)
    if (bucket) this.#refill(bucket, nowMs)
    else this.#buckets.set(key, (bucket = { credit: this.quota * this.#windowMs, asOfMs: nowMs }))
    const cost = requests * this.#windowMs
    const isAllowed = bucket.credit >= cost
    if (isAllowed) bucket.credit -= cost
    const remaining = Math.floor(bucket.credit / this.#windowMs)
    const needed = isAllowed ? this.#windowMs : cost
    const spreadCredit = bucket.credit < needed ? needed - bucket.credit : remaining * this.#windowMs
    return { isAllowed, remaining, spreadSec: Math.ceil(spreadCredit / this.quota / 1_000) }
  }

  /** Returns whether a request would be refused. Counts nothing. */
  isExhausted(key: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(key)
    if (!bucket) return false
    this.#refill(bucket, nowMs)
    return bucket.credit < this.#windowMs
  }

  /** Adds the credit of the time that has passed. A clock that was set back removes none. */
  #refill(bucket: Bucket, nowMs: number): void {
    const gained = Math.max(0, nowMs - bucket.asOfMs) * this.quota
    bucket.credit = Math.min(this.quota * this.#windowMs, bucket.credit + gained)
    bucket.asOfMs = nowMs
  }

  headersOf({ remaining, spreadSec }: BucketState): Headers {
    return ['ratelimit-policy', this.#policyText, 'ratelimit', `"${this.name}";r=${remaining};t=${spreadSec}`]
  }

  /** Returns headers without the state of this limit, which a later state replaces. */
  withoutHeaders(headers: Headers): Headers {
    const at = headers.indexOf(this.#policyText)
    return at < 0 ? headers : headers.toSpliced(at - 1, 4)
  }
}
