/** Whether what was served of a roll fits its chance. */
import { percentText } from './chance.ts'
import { tailOf } from './chi-squared.ts'
import { countText, shareText } from '../../lib/numbers.ts'
import type { Hour } from './served.ts'

/** `differs`: chance alone does not explain it. */
export interface Fit {
  readonly verdict: 'fits' | 'differs' | 'unknown'
  readonly sentence: string
}

/** Below this, χ² does not follow its distribution closely enough (Cochran, Biometrics 10, 1954). */
const leastExpected = 5
const usualP = 0.05
const suspiciousP = 0.001

interface Tested {
  readonly a: number
  readonly served: number
  readonly chance: number
}

/** Hours in which the chance was changed have none, and a chance of 0 or 1 leaves nothing to test. */
function testedOf(hours: readonly Hour[]): readonly Tested[] {
  return hours.flatMap(({ a, b, chance = 0 }) => (chance > 0 && chance < 1 ? [{ a, served: a + b, chance }] : []))
}

/**
 * χ² with one degree of freedom: over hours of different chances, what is expected adds up, and so does its variance; with
 * one chance that is Pearson's test.
 */
export function fitOf(hours: readonly Hour[]): Fit {
  const tested = testedOf(hours)
  const sum = (of: (hour: Tested) => number): number => tested.reduce((total, hour) => total + of(hour), 0)
  const served = sum((hour) => hour.served)
  if (served === 0) {
    return {
      verdict: 'unknown',
      sentence: 'There is nothing to check: the chance was changed within these hours, or was 0 or 100 %.',
    }
  }
  const a = sum((hour) => hour.a)
  const expected = sum((hour) => hour.served * hour.chance)
  const variance = sum((hour) => hour.served * hour.chance * (1 - hour.chance))
  const isEnough = Math.min(expected, served - expected) >= leastExpected
  const p = isEnough ? tailOf((a - expected) ** 2 / variance) : undefined
  const observation = `Of ${countText(served)} served, ${countText(a)} ${a === 1 ? 'was' : 'were'} A (${shareText(a, served)}).`
  return {
    verdict: verdictOf(p),
    sentence: [observation, judgement(p, basisOf(tested), expected), leftOut(hours, served)].join(' ').trim(),
  }
}

function verdictOf(p: number | undefined): Fit['verdict'] {
  if (p === undefined) return 'unknown'
  return p < suspiciousP ? 'differs' : 'fits'
}

/** Such as "At 50 %,". */
function basisOf(tested: readonly Tested[]): string {
  const [chance, ...others] = new Set(tested.map((hour) => hour.chance))
  return chance === undefined || others.length > 0 ? 'With the chances of that time,' : `At ${percentText(chance)},`
}

function judgement(p: number | undefined, basis: string, expected: number): string {
  if (p === undefined) return 'That is too few to tell whether it fits the chance.'
  if (p >= usualP) return `${basis} that is what chance alone gives (p = ${p.toPrecision(2)}).`
  const deviation = `${basis} ${countText(expected)} are expected; chance alone is this far off in`
  return p < suspiciousP
    ? `${deviation} fewer than 1 of 1,000 cases (p < ${suspiciousP}).`
    : `${deviation} ${cases(p)} (p = ${p.toPrecision(1)}). Look again when there are more.`
}

function cases(p: number): string {
  return p >= 0.01 ? `${countText(p * 100)} of 100 cases` : `${countText(p * 1_000)} of 1,000 cases`
}

function leftOut(hours: readonly Hour[], tested: number): string {
  const others = hours.reduce((total, { a, b }) => total + a + b, 0) - tested
  if (others === 0) return ''
  return `${countText(others)} more are left out: of hours in which the chance was changed, or was 0 or 100 %.`
}
