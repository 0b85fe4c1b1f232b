import type { Clock } from '../base/clock.ts'

/** A clock that stands still until it is set. */
export class StoryClock implements Clock {
  #nowMs: number

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  now(): number {
    return this.#nowMs
  }

  set(nowMs: number): void {
    this.#nowMs = nowMs
  }
}
