import type { Clock } from '../src/base/clock.ts'

/** A clock that runs like the real one, from any time that a test sets. */
export class TestClock implements Clock {
  #aheadMs: number
  #frozenAtMs: number | undefined

  constructor(startMs = Date.now()) {
    this.#aheadMs = startMs - Date.now()
  }

  now(): number {
    return this.#frozenAtMs ?? Date.now() + this.#aheadMs
  }

  advance(ms: number): void {
    if (this.#frozenAtMs === undefined) this.#aheadMs += ms
    else this.#frozenAtMs += ms
  }

  /** Stops at a time until `run`. */
  freezeAt(ms: number): void {
    this.#frozenAtMs = ms
  }

  /** Continues from the time at which it stopped. */
  run(): void {
    if (this.#frozenAtMs === undefined) return
    this.#aheadMs = this.#frozenAtMs - Date.now()
    this.#frozenAtMs = undefined
  }
}
