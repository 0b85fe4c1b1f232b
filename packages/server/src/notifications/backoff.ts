/** How long what failed waits until it is sent again. */

const minDelayMs = 5_000
const maxDelayMs = 60 * 60_000

/**
 * Returns how long to wait after a failure: 5 seconds, then twice as long each time, up to an hour. `random` (0 to 1) takes away up to a
 * half, so that what failed together does not come again together.
 */
export function backoffMs(earlierFailures: number, random: number): number {
  return Math.round(Math.min(maxDelayMs, minDelayMs * 2 ** earlierFailures) * (0.5 + random / 2))
}
