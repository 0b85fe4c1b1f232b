import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Size from which values (in bytes) or a text (in characters) are large. Work on large ones is cut into slices and takes
 * turns in a FairQueue.
 */
export const largeBytes = 262_144

/** Slices of long work on the single thread. Other requests are served between them. */
export class TimeSlices {
  readonly #sliceMs: number
  #endsAt: number

  constructor(sliceMs = 1) {
    this.#sliceMs = sliceMs
    this.#endsAt = performance.now() + sliceMs
  }

  /** Whether the slice is over, so the caller should await `next`. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Lets the event loop serve other requests, then begins the next slice. */
  async next(): Promise<void> {
    await nextTurn()
    this.#endsAt = performance.now() + this.#sliceMs
  }
}
