/**
 * Random numbers of tests. All come from the seed of the run, which a failing run prints. `ROLLKEY_TEST_SEED=N` before a command
 * repeats it; without it the seed is 1, so that every run on every machine is the same.
 */
export const runSeed = Number(process.env['ROLLKEY_TEST_SEED'] ?? 1)

/** Returns random numbers 0 <= x < 1 that are the same for the same seed of the run and the same `salt`. */
export function seeded(salt: number): () => number {
  return mulberry32(Math.imul(runSeed, 0x9e3779b1) ^ salt)
}

/** Returns random numbers 0 <= x < 1 that are always the same for the same seed. */
export function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Random choices that are the same for the same seed of the run and the same salt. */
export class Random {
  readonly #next: () => number

  constructor(salt: number) {
    this.#next = seeded(salt)
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
