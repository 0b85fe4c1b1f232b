/** How many passwords are hashed at once: each takes a core for some 60 ms and 44 MiB of memory. */
import { availableParallelism } from 'node:os'

/** The default of a machine with many cores: 65 sign-ins a second, and 176 MiB while they last. */
const maxByDefault = 4
/** Hashes that wait for each that is computed: about a second. */
const waitingPerHash = 16

/** Returns how many hashes a process computes at once: a core stays for the rest. */
export function hashesAtOnce(setting: number, workers: number): number {
  if (setting > 0) return setting
  const cores = availableParallelism()
  const processes = workers === 0 ? cores : workers
  return Math.max(1, Math.min(Math.floor((cores - 1) / processes), maxByDefault))
}

/** Too many wait already. */
export class HashingIsBusy extends Error {}

export class Hashing {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  /** Those that have entered. */
  #inside = 0
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Whether a caller who enters now is refused. */
  get isFull(): boolean {
    return this.#inside >= this.#most * (1 + waitingPerHash)
  }

  /** Does work that hashes once. Throws HashingIsBusy instead if too many others are about to. */
  async enter<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) throw new HashingIsBusy()
    this.#inside++
    try {
      return await work()
    } finally {
      this.#inside--
    }
  }

  /** Computes a hash when it is its turn. */
  async run<T>(hash: () => Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running++
    // A caller who ends gives its place on.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await hash()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
