/** Whether the served split of a roll fits its chance. */
import { type Fit, fitOf as testFit, type ServedCounts } from '@rollkey/contract/rules'

/** What a roll served since its chance is what it is. */
interface Judged {
  readonly chance: number
  readonly sinceChance: Pick<ServedCounts, 'a' | 'b'>
}

/**
 * Tests whether the split served since the last change of the chance fits it. Returns undefined where nothing was served, or
 * everyone gets the same value. All pages and the service judge these counts, so that no two of them disagree.
 */
export function fitOf({ chance, sinceChance }: Judged): Fit | undefined {
  const fit = testFit([{ ...sinceChance, chance }])
  return fit.tested === 0 ? undefined : fit
}
