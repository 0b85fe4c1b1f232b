/** The source of time, injected so that a test can move it. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
}

/** A clock that also calls functions at intervals. In a test, nothing happens behind its back. */
export interface Timer extends Clock {
  /** Calls a function at an interval in milliseconds, which does not keep the process alive. Returns a function that ends that. */
  every(ms: number, work: () => void): () => void
}

export const systemClock: Timer = {
  now: () => Date.now(),
  every: (ms, work) => {
    const timer = setInterval(work, ms).unref()
    return () => clearInterval(timer)
  },
}

export const msPerDay = 86_400_000
/** The last day that was asked for, because nearly all callers ask for today. */
let last = { number: Number.NaN, text: '' }

/** Returns the UTC day of a time, as YYYY-MM-DD. Throws RangeError for a time that `Date` cannot represent. */
export function dayOf(timeMs: number): string {
  const number = Math.floor(timeMs / msPerDay)
  if (number !== last.number) last = { number, text: new Date(timeMs).toISOString().slice(0, 10) }
  return last.text
}

/** Returns the UTC month of a time, as YYYY-MM. */
export function monthOf(timeMs: number): string {
  return dayOf(timeMs).slice(0, 7)
}

/** Returns the last millisecond of a month (YYYY-MM). */
export function endOfMonth(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return Date.UTC(year, number) - 1
}
