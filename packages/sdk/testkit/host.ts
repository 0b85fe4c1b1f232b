/** Time and randomness under the control of a test: waits end when the test moves the clock. */
import { system, type Host } from '../src/host.ts'

interface Waiting {
  readonly untilMs: number
  readonly end: () => void
}

export class TestHost implements Host {
  #nowMs = Date.UTC(2026, 0, 1)
  readonly #waiting = new Set<Waiting>()
  /** All requested waits, in milliseconds. */
  readonly waits: number[] = []
  /** Whether waits end at once and move the clock. */
  isHasty: boolean

  constructor({ isHasty = false } = {}) {
    this.isHasty = isHasty
  }

  now(): number {
    return this.#nowMs
  }

  /** Returns nearly 1, so that random waits have their maximum length. */
  random(): number {
    return 1 - 2 ** -53
  }

  wait(ms: number, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.waits.push(Math.round(ms))
    if (this.isHasty) this.#nowMs += ms
    if (this.isHasty || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const waiting: Waiting = { untilMs: this.#nowMs + ms, end: resolve }
      this.#waiting.add(waiting)
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(waiting)
        resolve()
      })
    })
  }

  /** Whether no wait is in progress. */
  get isIdle(): boolean {
    return this.#waiting.size === 0
  }

  afterTurn(run: () => void): void {
    system.afterTurn(run)
  }

  /** Moves the clock, ends the waits that are due, and runs what follows from that. */
  async advance(ms: number): Promise<void> {
    this.#nowMs += ms
    for (const waiting of this.#waiting) {
      if (waiting.untilMs > this.#nowMs) continue
      this.#waiting.delete(waiting)
      waiting.end()
    }
    await settled()
  }
}

/** Waits for some turns of the event loop, in which all work finishes that does not depend on I/O. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
}
