/** Maximum calls to an upstream service that run at once, in total and per key. Waiting callers are served in order. */
export interface ConcurrencyBounds {
  readonly max: number
  readonly maxPerKey: number
}

/** Callback that the caller runs once, when the call is over. */
export type Release = () => void

interface Waiting {
  readonly key: string
  readonly start: (release: Release) => void
}

export class ConcurrencyLimit {
  readonly #bounds: ConcurrencyBounds
  readonly #running = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #total = 0

  constructor(bounds: ConcurrencyBounds) {
    this.#bounds = bounds
  }

  /** Takes a slot. Returns undefined if all are taken. */
  tryAcquire(key: string): Release | undefined {
    const running = this.#running.get(key) ?? 0
    if (this.#total >= this.#bounds.max || running >= this.#bounds.maxPerKey) return undefined
    this.#total++
    this.#running.set(key, running + 1)
    return () => this.#release(key)
  }

  /** Waits for a free slot. Rejects with the reason of the signal if the signal aborts. */
  async acquire(key: string, signal: AbortSignal): Promise<Release> {
    const free = this.tryAcquire(key)
    if (free) return free
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { key, start: resolve }
      this.#waiting.add(waiting)
      signal.addEventListener('abort', () => {
        if (this.#waiting.delete(waiting)) reject(signal.reason as Error)
      })
    })
  }

  #release(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1
    if (left === 0) this.#running.delete(key)
    else this.#running.set(key, left)
    this.#total--
    for (const waiting of this.#waiting) {
      const release = this.tryAcquire(waiting.key)
      if (!release) continue
      this.#waiting.delete(waiting)
      waiting.start(release)
      return
    }
  }
}
