import { ApiError } from '../base/api-error.ts'

/** How long the node rests after a turn, as a multiple of the turn. Heavy work therefore takes at most a fifth of its time. */
const restFactor = 4
const maxRestMs = 500
const retryAfterSec = 1

/** Ends a turn. */
export type ReleaseTurn = () => void

/**
 * Runs the heavy work of a process one piece at a time. Clients take turns, so a client with many pieces delays itself
 * and not the others.
 */
export class FairQueue {
  readonly #maxWaiting: number
  /** Waiting pieces by client. The next client comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isBusy = false

  /** `maxWaiting` is the maximum waiting pieces of one client. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /** Resolves when it is the client's turn. Throws RATE_LIMITED if the client has too many waiting pieces. */
  async begin(clientKey: string): Promise<ReleaseTurn> {
    if (this.#isBusy) await this.#wait(clientKey)
    this.#isBusy = true
    const startedAt = performance.now()
    return () => {
      const restMs = Math.min(maxRestMs, (performance.now() - startedAt) * restFactor)
      setTimeout(() => this.#startNext(), restMs).unref()
    }
  }

  #wait(clientKey: string): Promise<void> {
    const waiting = this.#waiting.get(clientKey) ?? []
    if (waiting.length >= this.#maxWaiting) {
      throw new ApiError('RATE_LIMITED', 'Too many expensive requests are waiting. Send fewer at once.', {
        'retry-after': String(retryAfterSec),
      })
    }
    return new Promise((resolve) => {
      waiting.push(resolve)
      this.#waiting.set(clientKey, waiting)
    })
  }

  #startNext(): void {
    const [first] = this.#waiting
    if (!first) {
      this.#isBusy = false
      return
    }
    const [clientKey, waiting] = first
    this.#waiting.delete(clientKey)
    const next = waiting.shift()
    if (waiting.length > 0) this.#waiting.set(clientKey, waiting)
    next?.()
  }
}
