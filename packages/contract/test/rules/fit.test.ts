import { fitOf } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'

test.each([
  // The critical values of every table of the distribution with one degree of freedom: with a chance of 0.5 and n served,
  // χ² = (a - n/2)² / (n/4).
  [0, 1],
  [0.454936, 0.5],
  [2.705543, 0.1],
  [3.841459, 0.05],
  [6.634897, 0.01],
  [10.827566, 0.001],
])('fitOf gives χ² = %j the probability %j', (chiSquared, p) => {
  const n = 1e12
  const a = n / 2 + Math.sqrt((chiSquared * n) / 4)
  expect(fitOf([{ a, b: n - a, chance: 0.5 }]).p).toBeCloseTo(p, 6)
})

test.each([
  // χ² = (612 - 602)² / 301 = 0.332; p by R: pchisq(0.332, 1, lower.tail = FALSE) = 0.564.
  ['usual', [{ a: 612, b: 592, chance: 0.5 }], { verdict: 'fits', a: 612, tested: 1_204, expected: 602 }, 0.564],
  // χ² = (652 - 602)² / 301 = 8.306; p = 0.0040.
  ['rare', [{ a: 652, b: 552, chance: 0.5 }], { verdict: 'fits' }, 0.004],
  // χ² = (672 - 602)² / 301 = 16.28; p = 0.000055.
  ['too rare', [{ a: 672, b: 532, chance: 0.5 }], { verdict: 'differs' }, 0],
  // Expected 50 + 10, variance 25 + 9, χ² = (66 - 60)² / 34 = 1.059; p = 0.30.
  [
    'of different chances',
    [
      { a: 55, b: 45, chance: 0.5 },
      { a: 11, b: 89, chance: 0.1 },
    ],
    { verdict: 'fits', a: 66, tested: 200, expected: 60 },
    0.303,
  ],
  ['too few of A', [{ a: 1, b: 48, chance: 0.1 }], { verdict: 'unknown' }, undefined],
  ['enough of A', [{ a: 5, b: 45, chance: 0.1 }], { verdict: 'fits' }, 1],
  ['too few of B', [{ a: 45, b: 4, chance: 0.9 }], { verdict: 'unknown' }, undefined],
  ['none', [], { verdict: 'unknown', a: 0, tested: 0, expected: 0 }, undefined],
  [
    'of an unknown chance, of 0 and of 1',
    [
      { a: 5, b: 5 },
      { a: 0, b: 20, chance: 0 },
      { a: 10, b: 0, chance: 1 },
    ],
    { verdict: 'unknown', a: 0, tested: 0 },
    undefined,
  ],
] as const)('fitOf judges counts that are %s', (_, counts, fit, p) => {
  const found = fitOf(counts)
  expect(found).toMatchObject(fit)
  expect(found.p ?? -1).toBeCloseTo(p ?? -1, 3)
})
