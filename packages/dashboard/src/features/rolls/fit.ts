/** Whether the served split of a roll fits its chance. */
import { fitOf as testFit, type Fit as TestedFit } from '@rollkey/contract/rules'
import { labels } from './labels.ts'
import type { Roll } from './roll-list.ts'

/** The verdict on the counts of a roll, and its reason for people. */
export interface Fit extends Pick<TestedFit, 'verdict'> {
  readonly sentence: string
}

/**
 * Tests whether the split served since the last change of the chance fits it. Returns undefined where nothing was served, or
 * everyone gets the same value. All pages and the service judge these counts, so that no two of them disagree.
 */
export function fitOf({ chance, sinceChance }: Pick<Roll, 'chance' | 'sinceChance'>): Fit | undefined {
  const { verdict, a, tested, expected, p } = testFit([{ ...sinceChance, chance }])
  if (tested === 0) return undefined
  return { verdict, sentence: labels.fit.sentence({ a, tested, expected, chance, p }) }
}
