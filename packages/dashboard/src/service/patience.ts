/** Ends waiting for somebody of whom nothing was heard for `ms` milliseconds. */
export class Patience {
  readonly #over = new AbortController()
  readonly #ms: number
  #timer: ReturnType<typeof setTimeout>

  constructor(ms: number) {
    this.#ms = ms
    this.#timer = this.#start()
  }

  /** Aborts when it is over. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Something was heard. */
  renew(): void {
    this.stop()
    this.#timer = this.#start()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#over.abort(), this.#ms)
  }
}

/** Waits so many milliseconds, or until the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
