import { seeded } from '../base/seeded.ts'

/** Choices that are the same in every run of the same seed. */
export class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = seeded(seed)
  }

  /** 0 up to `end`, not included. */
  int(end: number): number {
    return Math.floor(this.#next() * end)
  }

  /** True once in `times`, on average. */
  once(times: number): boolean {
    return this.int(times) === 0
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)] as T
  }
}
