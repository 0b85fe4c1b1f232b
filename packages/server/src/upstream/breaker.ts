import type { Clock } from '../base/clock.ts'

interface BreakerOptions {
  readonly clock: Clock
  /** How long a slow failure is remembered. */
  readonly memoryMs?: number
  /** How long a failed call must have taken to count. A call that fails at once makes no one wait. */
  readonly slowMs?: number
  /** Returns whether an error is an answer of the upstream service, which then counts as a success. */
  readonly isAnswer?: (error: unknown) => boolean
  /** Returns whether an error shows that further calls would fail too, however fast it came. */
  readonly isOutage?: (error: unknown) => boolean
  /** Called each time the breaker opens. */
  readonly onOpen?: () => void
}

/** Thrown instead of calling an upstream service that has just been slow to fail, or is known to be away. */
export class UpstreamUnavailable extends Error {
  override readonly name = 'UpstreamUnavailable'
}

/**
 * Keeps callers from waiting, one after the other, for an upstream service that does not answer. A call that fails slowly, or with an
 * error that is an outage by itself, opens the breaker, unless another call succeeded since it began. While the failure is remembered, calls fail at once. After that,
 * the breaker lets one call through at a time, and the first success closes it.
 */
export class Breaker {
  readonly #clock: Clock
  readonly #memoryMs: number
  readonly #slowMs: number
  readonly #isAnswer: (error: unknown) => boolean
  readonly #isOutage: (error: unknown) => boolean
  readonly #onOpen: () => void
  #failedAtMs: number | undefined
  #isProbing = false
  #successes = 0

  constructor({
    clock,
    memoryMs = 2_000,
    slowMs = 1_000,
    isAnswer = () => false,
    isOutage = () => false,
    onOpen = () => {},
  }: BreakerOptions) {
    this.#clock = clock
    this.#memoryMs = memoryMs
    this.#slowMs = slowMs
    this.#isAnswer = isAnswer
    this.#isOutage = isOutage
    this.#onOpen = onOpen
  }

  /** Whether a call would fail at once. */
  get isOpen(): boolean {
    if (this.#failedAtMs === undefined) return false
    return this.#isProbing || Math.abs(this.#clock.now() - this.#failedAtMs) < this.#memoryMs
  }

  /** Runs the call. Throws UpstreamUnavailable, or what the call throws. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.isOpen) throw new UpstreamUnavailable('The upstream service was slow to fail a moment ago.')
    const isProbe = this.#failedAtMs !== undefined
    if (isProbe) this.#isProbing = true
    const successes = this.#successes
    // Uses the machine's clock: a test that moves the injected clock must not make a call look slower.
    const startedAt = performance.now()
    try {
      const result = await call()
      this.#succeed()
      return result
    } catch (error) {
      const counts = this.#isOutage(error) || performance.now() - startedAt >= this.#slowMs
      if (this.#isAnswer(error)) this.#succeed()
      else if (counts && (isProbe || successes === this.#successes)) {
        this.#failedAtMs = this.#clock.now()
        this.#onOpen()
      }
      throw error
    } finally {
      if (isProbe) this.#isProbing = false
    }
  }

  #succeed(): void {
    this.#successes++
    this.#failedAtMs = undefined
  }
}
