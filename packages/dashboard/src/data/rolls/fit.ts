/** Whether the served split of a roll fits its chance. */
import { type Fit, fitOf as testFit, type ServedCounts } from '@rollkey/contract/rules'

/** What a roll served since its chance is what it is. */
interface Judged {
  readonly chance: number
  readonly sinceChance: Pick<ServedCounts, 'a' | 'b'>
}

/** `unusual`: the split fits, and one as far off is rare. */
export type Verdict = Fit['verdict'] | 'unusual'

/** What the test says of a roll. */
export interface JudgedFit extends Omit<Fit, 'verdict'> {
  readonly verdict: Verdict
}

/** Below this probability, a split is unusual. */
const unusualP = 0.05

/**
 * Tests whether the split served since the last change of the chance fits it. Returns undefined where nothing was served, or
 * everyone gets the same value. All pages and the service judge these counts, so that no two of them disagree.
 */
export function fitOf({ chance, sinceChance }: Judged): JudgedFit | undefined {
  const fit = testFit([{ ...sinceChance, chance }])
  if (fit.tested === 0) return undefined
  const isUnusual = fit.verdict === 'fits' && fit.p !== undefined && fit.p < unusualP
  return isUnusual ? { ...fit, verdict: 'unusual' } : fit
}
