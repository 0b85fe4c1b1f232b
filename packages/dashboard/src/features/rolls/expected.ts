/** The share of A that a chance leads to. */
import type { ServedCounts } from '@rollkey/contract/rules'

/** Shares from 0 to 1, both included. */
export interface ShareRange {
  readonly low: number
  readonly high: number
}

/** Standard deviations on either side of the mean within which 95 % of a normal distribution lie. */
const deviations = 1.96

/**
 * Returns the range in which the share of A lies in 95 of 100 cases; undefined where nothing was served or the chance changed.
 * It takes every evaluation for another user's, like the test of the fit.
 */
export function expectedRange(counts: readonly ServedCounts[]): ShareRange | undefined {
  let [served, expected, variance] = [0, 0, 0]
  for (const { a, b, chance } of counts) {
    if (a + b === 0) continue
    if (chance === undefined) return undefined
    served += a + b
    expected += (a + b) * chance
    variance += (a + b) * chance * (1 - chance)
  }
  if (served === 0) return undefined
  const reach = deviations * Math.sqrt(variance)
  return { low: Math.max(0, (expected - reach) / served), high: Math.min(1, (expected + reach) / served) }
}
