/** How long what failed waits until it is sent again. */

export interface BackoffLimits {
  /** Maximum wait after the first failure, in ms. It doubles with each further one. */
  readonly firstMs: number
  /** Maximum wait, in ms. */
  readonly maxMs: number
}

/**
 * Returns how long to wait after a failure, in ms. `random` (0 to 1) takes away up to a half, so that what failed together does not come
 * again together.
 */
export function backoffMs(earlierFailures: number, random: number, { firstMs, maxMs }: BackoffLimits): number {
  return Math.round(Math.min(maxMs, firstMs * 2 ** earlierFailures) * (0.5 + random / 2))
}
