/** The source of time, injected so that a test can move it. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Returns the UTC day of a time, as YYYY-MM-DD. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
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
