import { seeded } from '../base/seeded.ts'

/** A random generator with the same choices in every run of the same seed. */
export class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = seeded(seed)
  }

  /** Returns an integer from 0 up to but not including `end`. */
  int(end: number): number {
    return Math.floor(this.#next() * end)
  }

  /** Returns true once in `times` calls on average. */
  once(times: number): boolean {
    return this.int(times) === 0
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)] as T
  }
}
