/** Whether the served split of a roll fits its chance. */
import { fitOf as testFit, type Fit as TestedFit } from '@rollkey/contract/rules'
import { labels } from './labels.ts'
import type { Hour } from './served.ts'

/** The verdict on the counts of a roll, and its reason for people. */
export interface Fit extends Pick<TestedFit, 'verdict'> {
  readonly sentence: string
}

/** Tests whether the split served in these hours fits their chances. */
export function fitOf(hours: readonly Hour[]): Fit {
  const { verdict, a, tested, expected, p } = testFit(hours)
  if (tested === 0) return { verdict, sentence: labels.fit.tooFew }
  const others = hours.reduce((total, { a: toA, b: toB }) => total + toA + toB, 0) - tested
  return { verdict, sentence: labels.fit.sentence({ a, tested, expected, chance: chanceIn(hours), p, others }) }
}

/** Returns the chance of the tested hours, if it is the same in all. */
function chanceIn(hours: readonly Hour[]): number | undefined {
  const tested = hours.filter(({ a, b, chance = 0 }) => a + b > 0 && chance > 0 && chance < 1)
  const [chance, ...others] = new Set(tested.map((hour) => hour.chance))
  return others.length > 0 ? undefined : chance
}
