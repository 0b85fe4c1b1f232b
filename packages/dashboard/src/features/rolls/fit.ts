/** Whether the served split of a roll fits its chance. */
import { fitOf as testFit, misfitP, type Fit as TestedFit } from '@rollkey/contract/rules'
import { percentText } from './chance.ts'
import { countText, shareText } from '../../lib/numbers.ts'
import type { Hour } from './served.ts'

/** The verdict on the counts of a roll, and its reason for people. */
export interface Fit extends Pick<TestedFit, 'verdict'> {
  readonly sentence: string
}

const usualP = 0.05

/** Tests whether the split served in these hours fits their chances. */
export function fitOf(hours: readonly Hour[]): Fit {
  const { verdict, a, tested, expected, p } = testFit(hours)
  if (tested === 0) {
    return {
      verdict,
      sentence: 'Not enough data at a constant chance to check the split.',
    }
  }
  const observation = `Of ${countText(tested)} served, ${countText(a)} ${a === 1 ? 'was' : 'were'} A (${shareText(a, tested)}).`
  return {
    verdict,
    sentence: [observation, judgement(p, basisOf(hours), expected), leftOut(hours, tested)].join(' ').trim(),
  }
}

/** Such as "At 50 %,". */
function basisOf(hours: readonly Hour[]): string {
  const tested = hours.filter(({ a, b, chance = 0 }) => a + b > 0 && chance > 0 && chance < 1)
  const [chance, ...others] = new Set(tested.map((hour) => hour.chance))
  return chance === undefined || others.length > 0 ? 'With the chances of that time,' : `At ${percentText(chance)},`
}

function judgement(p: number | undefined, basis: string, expected: number): string {
  if (p === undefined) return 'That is not enough to check the split.'
  if (p >= usualP) return `${basis} that is what chance alone gives (p = ${p.toPrecision(2)}).`
  const deviation = `${basis} ${countText(expected)} are expected; chance alone is this far off in`
  return p < misfitP
    ? `${deviation} fewer than 1 of 1,000 cases (p < ${misfitP}).`
    : `${deviation} ${cases(p)} (p = ${p.toPrecision(1)}). Look again when there are more.`
}

function cases(p: number): string {
  return p >= 0.01 ? `${countText(p * 100)} of 100 cases` : `${countText(p * 1_000)} of 1,000 cases`
}

function leftOut(hours: readonly Hour[], tested: number): string {
  const others = hours.reduce((total, { a, b }) => total + a + b, 0) - tested
  if (others === 0) return ''
  return `${countText(others)} more are left out, from hours in which the chance changed or was 0 or 100 %.`
}
