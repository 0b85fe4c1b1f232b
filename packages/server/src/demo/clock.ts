import type { Timer } from '../base/clock.ts'

const dayMs = 24 * 3_600_000
const hourMs = 3_600_000

/** How long the story of a demo takes, in days. What no one reads is unused for a month at its end. */
export const days = 31

/** A clock that stands still until the story goes on. It begins at a midnight (UTC) a month before its end. */
export class StoryClock implements Timer {
  readonly #startMs: number
  /** When the story ends, Unix time in milliseconds. */
  readonly endMs: number
  #nowMs: number

  /** @param endMs When the story ends, Unix time in milliseconds. */
  constructor(endMs: number) {
    this.endMs = endMs
    this.#startMs = endMs - (endMs % dayMs) - days * dayMs
    this.#nowMs = this.#startMs
  }

  now(): number {
    return this.#nowMs
  }

  /** Calls nothing: a stop of the service stores what is in memory. */
  every(): () => void {
    return () => {}
  }

  /** Goes to an hour of a day, unless it has passed, and returns true. Returns false, and stays, if that is after the end. */
  goTo(day: number, hour: number): boolean {
    const atMs = this.#startMs + day * dayMs + hour * hourMs
    if (atMs > this.endMs) return false
    this.#nowMs = Math.max(this.#nowMs, atMs)
    return true
  }
}
