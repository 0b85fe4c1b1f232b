import type { Clock } from '../src/base/clock.ts'

/** A clock that runs like the real one, from wherever a test puts it. */
export class TestClock implements Clock {
  #aheadMs = 0
  #frozenAtMs: number | undefined

  now(): number {
    return this.#frozenAtMs ?? Date.now() + this.#aheadMs
  }

  advance(ms: number): void {
    if (this.#frozenAtMs === undefined) this.#aheadMs += ms
    else this.#frozenAtMs += ms
  }

  /** Stands still at a time until `run`. */
  freezeAt(ms: number): void {
    this.#frozenAtMs = ms
  }

  /** Runs on from where it stands. */
  run(): void {
    if (this.#frozenAtMs === undefined) return
    this.#aheadMs = this.#frozenAtMs - Date.now()
    this.#frozenAtMs = undefined
  }
}
