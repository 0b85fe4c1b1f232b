import type { Timer } from '../src/base/clock.ts'

/** A clock that runs like the real one, from any time that a test sets. What is done at intervals is done only by `doPeriodicWork`. */
export class TestClock implements Timer {
  #aheadMs: number
  #frozenAtMs: number | undefined
  readonly #works = new Set<() => void>()

  constructor(startMs = Date.now()) {
    this.#aheadMs = startMs - Date.now()
  }

  now(): number {
    return this.#frozenAtMs ?? Date.now() + this.#aheadMs
  }

  every(_: number, work: () => void): () => void {
    this.#works.add(work)
    return () => void this.#works.delete(work)
  }

  /** Begins what the service does at intervals, such as storing counts. */
  doPeriodicWork(): void {
    for (const work of this.#works) work()
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
