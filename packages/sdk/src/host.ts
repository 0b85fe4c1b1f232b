/** What the client takes from the program around it; tests bring their own. */
export interface Host {
  /** Unix time in milliseconds. */
  now(): number
  /** A number 0 <= x < 1. */
  random(): number
  /**
   * Resolves after `ms`, or at once when the signal is aborted. `idle`: a process that has nothing else to do may end
   * meanwhile.
   */
  wait(ms: number, options?: { readonly signal?: AbortSignal | undefined; readonly idle?: boolean }): Promise<void>
  /** Runs after what is under way in this turn of the event loop. */
  soon(run: () => void): void
}

/** Node has it, and there it comes sooner than any timer. */
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
      // Timers of browsers are numbers, which hold nothing up.
      if (idle) (timer as { unref?: () => void }).unref?.()
      signal?.addEventListener('abort', done)
    }),
  soon: (run) => void (immediate ? immediate(run) : setTimeout(run, 0)),
}
