import { setImmediate as nextTurn } from 'node:timers/promises'
import { lightWork } from './light-work.ts'

/**
 * Size from which values (in bytes) or a text (in characters) are large. Work on large ones is cut into slices and takes
 * turns in a FairQueue.
 */
export const largeBytes = 262_144

/** How long heavy work rests, as a multiple of the work: beside light work, it takes at most a fifth of the time. */
export const restFactor = 4

/** Slices of long work on the single thread. Other requests are served between them. */
export class TimeSlices {
  readonly #sliceMs: number
  #beganAt = performance.now()

  constructor(sliceMs = 1) {
    this.#sliceMs = sliceMs
  }

  /** Whether the slice is over, so the caller should await `next`. */
  get isOver(): boolean {
    return performance.now() >= this.#beganAt + this.#sliceMs
  }

  /** Lets the event loop serve other requests, the light ones to their end if that is soon, then begins the next slice. */
  async next(): Promise<void> {
    const nowMs = performance.now()
    const restsUntil = nowMs + (nowMs - this.#beganAt) * restFactor
    do await nextTurn()
    while (lightWork.isUnderWay && performance.now() < restsUntil)
    this.#beganAt = performance.now()
  }
}
