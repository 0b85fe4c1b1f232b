/** The clock, randomness and scheduling that the client uses. Tests replace it. */
export interface Host {
  /** Returns the Unix time in milliseconds. */
  now(): number
  /** Returns a random number 0 <= x < 1. */
  random(): number
  /**
   * Resolves after `ms` milliseconds, or at once when the signal aborts. With `idle`, the wait does not keep the process
   * alive.
   */
  wait(ms: number, options?: { readonly signal?: AbortSignal | undefined; readonly idle?: boolean }): Promise<void>
  /** Runs a function after the current turn of the event loop. */
  afterTurn(run: () => void): void
}

/** `setImmediate` of Node, which runs before any timer. Browsers don't have it. */
const { setImmediate: immediate } = globalThis as { setImmediate?: (run: () => void) => unknown }

export const system: Host = {
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (ms, { signal, idle = false } = {}) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      // Timers of browsers are numbers and keep no process alive.
      if (idle) (timer as { unref?: () => void }).unref?.()
      signal?.addEventListener('abort', done)
    }),
  afterTurn: (run) => void (immediate ? immediate(run) : setTimeout(run, 0)),
}
