import { setImmediate as nextTurn } from 'node:timers/promises'

/** Values of more bytes, or a text of more characters, are large: they are worked on in slices, and in turns with others. */
export const largeBytes = 262_144

/** Long work on the one thread, cut into slices between which others are served. */
export class TimeSlices {
  readonly #sliceMs: number
  #endsAt: number

  constructor(sliceMs = 1) {
    this.#sliceMs = sliceMs
    this.#endsAt = performance.now() + sliceMs
  }

  /** Whether the slice is over, so that `next` is due. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#endsAt = performance.now() + this.#sliceMs
  }
}
