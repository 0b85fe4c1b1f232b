/** Serves stale values while the service cannot be reached. */
import { RollkeyError } from './errors.ts'
import type { Host } from './host.ts'

/** How long the first calls during an outage wait for the service, in milliseconds. */
const firstTimeoutMs = 2_000
/** Interval between two requests during an outage, in milliseconds. */
const retryIntervalMs = 1_000

/** Returns whether the service could not answer, and may answer later. */
export function isOutage(error: unknown): boolean {
  return error instanceof RollkeyError && error.retry === 'backoff'
}

export class Outages {
  readonly #host: Host
  /** When the next call tries the service again, for each stage with an outage. Unix time in milliseconds. */
  readonly #retryAtMs = new WeakMap<object, number>()

  constructor(host: Host) {
    this.#host = host
  }

  /** Returns the result of `renew`, or of `old` if the service cannot be reached. During an outage, no caller waits. */
  async renewOrStale<T extends object>(stage: object, renew: () => Promise<T>, old: () => T): Promise<T> {
    const retryAtMs = this.#retryAtMs.get(stage)
    if (retryAtMs === undefined) {
      try {
        const renewed = await this.#withTimeout(renew())
        if (renewed) return renewed
      } catch (error) {
        if (!isOutage(error)) throw error
      }
      this.#scheduleRetry(stage)
    } else if (this.#host.now() >= retryAtMs) {
      void this.#retry(stage, renew)
    }
    return old()
  }

  async #withTimeout<T extends object>(answer: Promise<T>): Promise<T | undefined> {
    const answered = new AbortController()
    const timeout = this.#host.wait(firstTimeoutMs, { signal: answered.signal }).then(() => undefined)
    try {
      return await Promise.race([answer, timeout])
    } finally {
      answered.abort()
    }
  }

  async #retry(stage: object, renew: () => Promise<object>): Promise<void> {
    this.#retryAtMs.set(stage, Infinity)
    try {
      await renew()
      this.#retryAtMs.delete(stage)
    } catch (error) {
      // Any other error is an answer too. The next caller receives it.
      if (isOutage(error)) this.#scheduleRetry(stage)
      else this.#retryAtMs.delete(stage)
    }
  }

  #scheduleRetry(stage: object): void {
    this.#retryAtMs.set(stage, this.#host.now() + retryIntervalMs)
  }
}
