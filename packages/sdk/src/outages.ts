/** Serves stale values while the service cannot be reached. */
import { RollkeyError } from './errors.ts'
import type { Host } from './host.ts'

/** How long the first callers of an outage wait for the service, in milliseconds. */
const patienceMs = 2_000
/** Interval between two requests during an outage, in milliseconds. */
const pauseMs = 1_000

function isOutage(error: unknown): boolean {
  return error instanceof RollkeyError && error.retry === 'backoff'
}

export class Outages {
  readonly #host: Host
  /** Stages with an outage, and when the next caller asks the service again. Unix time in milliseconds. */
  readonly #askAgainAtMs = new WeakMap<object, number>()

  constructor(host: Host) {
    this.#host = host
  }

  /** Returns the result of `renew`, or of `old` if the service cannot be reached. During an outage, no caller waits. */
  async bridge<T extends object>(stage: object, renew: () => Promise<T>, old: () => T): Promise<T> {
    const askAgainAtMs = this.#askAgainAtMs.get(stage)
    if (askAgainAtMs === undefined) {
      try {
        const renewed = await this.#inTime(renew())
        if (renewed) return renewed
      } catch (error) {
        if (!isOutage(error)) throw error
      }
      this.#pause(stage)
    } else if (this.#host.now() >= askAgainAtMs) {
      void this.#askAgain(stage, renew)
    }
    return old()
  }

  async #inTime<T extends object>(answer: Promise<T>): Promise<T | undefined> {
    const answered = new AbortController()
    const late = this.#host.wait(patienceMs, { signal: answered.signal }).then(() => undefined)
    try {
      return await Promise.race([answer, late])
    } finally {
      answered.abort()
    }
  }

  async #askAgain(stage: object, renew: () => Promise<object>): Promise<void> {
    this.#askAgainAtMs.set(stage, Infinity)
    try {
      await renew()
      this.#askAgainAtMs.delete(stage)
    } catch (error) {
      // Any other error is an answer too. The next caller receives it.
      if (isOutage(error)) this.#pause(stage)
      else this.#askAgainAtMs.delete(stage)
    }
  }

  #pause(stage: object): void {
    this.#askAgainAtMs.set(stage, this.#host.now() + pauseMs)
  }
}
