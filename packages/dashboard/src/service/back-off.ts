const firstMs = 500
const longestMs = 15_000

/**
 * How long to wait after so many failures in a row, in milliseconds: twice as long each time. `random`: 0 to 1, so that
 * not all who were cut off at one moment come back at one.
 */
export function backOffMs(failures: number, random: number): number {
  const ms = Math.min(firstMs * 2 ** failures, longestMs)
  return Math.round(ms / 2 + (ms / 2) * random)
}
