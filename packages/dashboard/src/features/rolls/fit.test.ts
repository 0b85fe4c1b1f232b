import { describe, expect, it } from 'vitest'
import { fitOf } from './fit.ts'

function hour(a: number, b: number, chance?: number) {
  return { fromMs: 0, a, b, ...(chance !== undefined && { chance }) }
}

describe('the fit of what was served', () => {
  it.each([
    // χ² = (612 - 602)² / 301 = 0.332; p by R: pchisq(0.332, 1, lower.tail = FALSE) = 0.564.
    [
      'usual',
      [hour(612, 592, 0.5)],
      'fits',
      'Of 1,204 served, 612 were A (50.8\u00a0%). At 50 %, that is what chance alone gives (p = 0.56).',
    ],
    // χ² = (632 - 602)² / 301 = 2.990; p = 0.084.
    ['still usual', [hour(632, 572, 0.5)], 'fits', /\(p = 0\.084\)\.$/],
    // χ² = (642 - 602)² / 301 = 5.316; p = 0.021.
    [
      'rare',
      [hour(642, 562, 0.5)],
      'fits',
      'Of 1,204 served, 642 were A (53.3\u00a0%). At 50 %, 602 are expected; chance alone is this far off in 2 of 100 cases (p = 0.02). Look again when there are more.',
    ],
    // χ² = (652 - 602)² / 301 = 8.306; p = 0.0040.
    ['rarer', [hour(652, 552, 0.5)], 'fits', /in 4 of 1,000 cases \(p = 0\.004\)/],
    // χ² = (672 - 602)² / 301 = 16.28.
    [
      'too rare',
      [hour(672, 532, 0.5)],
      'differs',
      /At 50 %, 602 are expected; chance alone is this far off in fewer than 1 of 1,000 cases \(p < 0\.001\)\.$/,
    ],
    ['all A', [hour(20, 0, 0.5)], 'differs', /^Of 20 served, 20 were A \(100\u00a0%\)/],
    // Expected 50 + 10, variance 25 + 9, χ² = (66 - 60)² / 34 = 1.059; p = 0.30.
    [
      'of different chances',
      [hour(55, 45, 0.5), hour(11, 89, 0.1)],
      'fits',
      'Of 200 served, 66 were A (33\u00a0%). With the chances of that time, that is what chance alone gives (p = 0.30).',
    ],
    [
      'too few of A',
      [hour(1, 48, 0.1)],
      'unknown',
      'Of 49 served, 1 was A (2\u00a0%). That is not enough to check the split.',
    ],
    ['enough of A', [hour(5, 45, 0.1)], 'fits', /p = 1\.0/],
    ['too few of B', [hour(45, 4, 0.9)], 'unknown', /not enough to check/],
    [
      'with hours that tell nothing',
      [hour(612, 592, 0.5), hour(5, 5), hour(0, 20, 0), hour(10, 0, 1)],
      'fits',
      /p = 0\.56\)\. 40 more are left out, from hours in which the chance changed or was 0 or 100 %\.$/,
    ],
    [
      'of such hours alone',
      [hour(5, 5), hour(0, 20, 0)],
      'unknown',
      'Not enough data at a constant chance to check the split.',
    ],
  ] as const)('%s', (_, hours, verdict, sentence) => {
    const fit = fitOf(hours)
    expect(fit.verdict).toBe(verdict)
    expect(fit.sentence).toMatch(sentence)
  })
})
