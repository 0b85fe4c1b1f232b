/** Limits how many passwords are hashed at once. Each hash takes a core for some 60 ms and 44 MiB of memory. */
import { availableParallelism } from 'node:os'

/** The default on a machine with many cores: 65 sign-ins per second, and 176 MiB while they run. */
const defaultMax = 4
/** Maximum waiting hashes per running hash. They wait about a second. */
const maxWaitingPerHash = 16

/** Returns how many hashes a process computes at once. By default one core stays free for other work. */
export function maxHashes(setting: number, workers: number): number {
  if (setting > 0) return setting
  const cores = availableParallelism()
  const processes = workers === 0 ? cores : workers
  return Math.max(1, Math.min(Math.floor((cores - 1) / processes), defaultMax))
}

/** Thrown when too many hashes are waiting already. */
export class HashingBusy extends Error {}

export class Hashing {
  readonly #maxRunning: number
  readonly #waiting: (() => void)[] = []
  /** Callers that have entered. */
  #entered = 0
  #running = 0

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning
  }

  /** Whether a caller that enters now is refused. */
  get isFull(): boolean {
    return this.#entered >= this.#maxRunning * (1 + maxWaitingPerHash)
  }

  /** Runs work that hashes once. Throws HashingIsBusy if too many callers have entered. */
  async enter<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) throw new HashingBusy()
    this.#entered++
    try {
      return await work()
    } finally {
      this.#entered--
    }
  }

  /** Computes a hash when one of the running ones has ended. */
  async run<T>(hash: () => Promise<T>): Promise<T> {
    if (this.#running < this.#maxRunning) this.#running++
    // A caller that ends hands its slot to the next one.
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
