import { ApiError } from './api-error.ts'

/** How long others are served after a turn, as a multiple of the turn: a node spends a fifth of its time on heavy work. */
const restShare = 4
const maxRestMs = 500
const retryAfterSec = 1

/** Ends a turn. */
export type ReleaseTurn = () => void

/**
 * Lets heavy work of a process be done one piece at a time. Holders take turns, so that one with many pieces waits for itself
 * and the others do not wait for it.
 */
export class FairQueue {
  readonly #maxWaiting: number
  /** Those that wait, by their holder; the holder that is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #isBusy = false

  /** `maxWaiting`: of one holder. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting
  }

  /** Resolves when it is the holder's turn. Throws RATE_LIMITED for a holder of which too many wait. */
  async begin(holder: string): Promise<ReleaseTurn> {
    if (this.#isBusy) await this.#wait(holder)
    this.#isBusy = true
    const startedAt = performance.now()
    return () => {
      const restMs = Math.min(maxRestMs, (performance.now() - startedAt) * restShare)
      setTimeout(() => this.#goOn(), restMs).unref()
    }
  }

  #wait(holder: string): Promise<void> {
    const waiting = this.#waiting.get(holder) ?? []
    if (waiting.length >= this.#maxWaiting) {
      throw new ApiError('RATE_LIMITED', 'Too many expensive requests wait; ask for fewer at once.', {
        'retry-after': String(retryAfterSec),
      })
    }
    return new Promise((resolve) => {
      waiting.push(resolve)
      this.#waiting.set(holder, waiting)
    })
  }

  #goOn(): void {
    const [first] = this.#waiting
    if (!first) {
      this.#isBusy = false
      return
    }
    const [holder, waiting] = first
    this.#waiting.delete(holder)
    const next = waiting.shift()
    if (waiting.length > 0) this.#waiting.set(holder, waiting)
    next?.()
  }
}
