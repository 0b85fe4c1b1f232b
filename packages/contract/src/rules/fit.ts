/** Whether what was served of a roll fits its chance: Pearson's χ² test with one degree of freedom. */

/** How many times each value of a roll was served, at one chance. */
export interface ServedCounts {
  /** How many times value A was served. */
  readonly a: number
  /** How many times value B was served. */
  readonly b: number
  /** Probability of value A, from 0 to 1. Absent if it changed in that time, which leaves nothing to test. */
  readonly chance?: number | undefined
}

/** The result of the test. */
export interface Fit {
  /** `differs`: chance alone does not explain the counts. `unknown`: there is nothing to test, or too little. */
  readonly verdict: 'fits' | 'differs' | 'unknown'
  /** How many of the tested values were A. */
  readonly a: number
  /** How many values were tested. Counts without a chance, or with 0 or 1, are left out. */
  readonly tested: number
  /** How many of the tested values are A on average. */
  readonly expected: number
  /** How often chance alone is at least this far off, from 0 to 1. Absent if the verdict is `unknown`. */
  readonly p?: number
}

/** Below this, χ² does not follow its distribution closely enough (Cochran, Biometrics 10, 1954). */
const minExpected = 5
/** Below this `p`, the split differs from the chance. Of 100 rolls that fit, 1 look in 10 finds one that seems not to. */
export const misfitP = 0.001

/**
 * Tests whether counts fit their chances. Over several chances, what is expected adds up, and so does its variance; with one
 * chance that is Pearson's test. It treats every evaluation as that of another user. Never throws.
 *
 * @example
 * fitOf([{ a: 672, b: 532, chance: 0.5 }]).verdict // 'differs'
 */
export function fitOf(counts: readonly ServedCounts[]): Fit {
  let [a, tested, expected, variance] = [0, 0, 0, 0]
  for (const { a: servedA, b, chance = 0 } of counts) {
    if (chance <= 0 || chance >= 1) continue
    a += servedA
    tested += servedA + b
    expected += (servedA + b) * chance
    variance += (servedA + b) * chance * (1 - chance)
  }
  if (Math.min(expected, tested - expected) < minExpected) return { verdict: 'unknown', a, tested, expected }
  const p = tailOf((a - expected) ** 2 / variance)
  return { verdict: p < misfitP ? 'differs' : 'fits', a, tested, expected, p }
}

/** Returns how often chance alone gives a χ² of one degree of freedom that is at least as large. */
function tailOf(chiSquared: number): number {
  return complementaryError(Math.sqrt(chiSquared / 2))
}

/** 1 - erf(x) for x >= 0, off by at most 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26. */
function complementaryError(x: number): number {
  const t = 1 / (1 + 0.3275911 * x)
  const factors = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
  return factors.reduce((sum, factor) => (sum + factor) * t, 0) * Math.exp(-x * x)
}
