import { ApiError } from '../base/api-error.ts'
import { restFactor as usualRestFactor } from './time-slices.ts'
import { lightWork, type LightWork } from './light-work.ts'

/** How long the queue rests at most. */
export const maxRestMs = 500
const retryAfterSec = 1

/** Ends a turn. */
export type ReleaseTurn = () => void

export interface FairQueueOptions {
  /** Maximum waiting pieces of one client. @default Infinity */
  readonly maxWaiting?: number
  /** How many pieces may run at once. @default 1 */
  readonly places?: number
  /** Beside what it rests. @default that of the process */
  readonly light?: Pick<LightWork, 'isRecent'>
  /** How long it rests, as a multiple of the work. @default 4 */
  readonly restFactor?: number
  /** Returns how long the process has worked. @default the time in which its event loop was not idle */
  readonly workedMs?: () => number
}

/**
 * Runs the heavy work of a process a piece at a time. Clients take turns, so a client with many pieces delays itself
 * and not the others. Between the pieces the node rests while there is light work.
 */
export class FairQueue {
  readonly #light: Pick<LightWork, 'isRecent'>
  readonly #restFactor: number
  readonly #maxWaiting: number
  readonly #workedMs: () => number
  /** Waiting pieces by client. The next client comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #freePlaces: number

  constructor({
    maxWaiting = Infinity,
    places = 1,
    light = lightWork,
    restFactor = usualRestFactor,
    workedMs = eventLoopMs,
  }: FairQueueOptions = {}) {
    this.#light = light
    this.#restFactor = restFactor
    this.#maxWaiting = maxWaiting
    this.#freePlaces = places
    this.#workedMs = workedMs
  }

  /** Resolves when it is the client's turn. Throws RATE_LIMITED if the client has too many waiting pieces. */
  async begin(clientKey: string): Promise<ReleaseTurn> {
    if (this.#freePlaces > 0) this.#freePlaces--
    else await this.#wait(clientKey)
    const before = this.#workedMs()
    return () => {
      if (!this.#light.isRecent) return this.#startNext()
      const restMs = Math.min(maxRestMs, (this.#workedMs() - before) * this.#restFactor)
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
      this.#freePlaces++
      return
    }
    const [clientKey, waiting] = first
    this.#waiting.delete(clientKey)
    const next = waiting.shift()
    if (waiting.length > 0) this.#waiting.set(clientKey, waiting)
    next?.()
  }
}

function eventLoopMs(): number {
  return performance.eventLoopUtilization().active
}
