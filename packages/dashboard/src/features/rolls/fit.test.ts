import { describe, expect, it } from 'vitest'
import { fitOf } from './fit.ts'
import { labels } from './labels.ts'

function served(a: number, b: number, chance: number) {
  return { chance, sinceChance: { a, b } }
}

describe('the fit of what was served', () => {
  it.each([
    // χ² = (612 - 602)² / 301 = 0.332; p by R: pchisq(0.332, 1, lower.tail = FALSE) = 0.564.
    [
      'usual',
      served(612, 592, 0.5),
      'fits',
      'Of 1,204 served, 612 were A (50.8\u00a0%). At 50\u00a0%, that is what chance alone gives (p = 0.56).',
    ],
    // χ² = (632 - 602)² / 301 = 2.990; p = 0.084.
    ['still usual', served(632, 572, 0.5), 'fits', /\(p = 0\.084\)\.$/],
    // χ² = (642 - 602)² / 301 = 5.316; p = 0.021.
    [
      'rare',
      served(642, 562, 0.5),
      'fits',
      'Of 1,204 served, 642 were A (53.3\u00a0%). At 50\u00a0%, 602 are expected; chance alone is this far off in 2 of 100 cases (p = 0.02). Look again when there are more.',
    ],
    // χ² = (652 - 602)² / 301 = 8.306; p = 0.0040.
    ['rarer', served(652, 552, 0.5), 'fits', /in 4 of 1,000 cases \(p = 0\.004\)/],
    // χ² = (672 - 602)² / 301 = 16.28.
    [
      'too rare',
      served(672, 532, 0.5),
      'differs',
      /At 50\u00a0%, 602 are expected; chance alone is this far off in fewer than 1 of 1,000 cases \(p < 0\.001\)\.$/,
    ],
    ['all A', served(20, 0, 0.5), 'differs', /^Of 20 served, 20 were A \(100\u00a0%\)/],
    [
      'too few of A',
      served(1, 48, 0.1),
      'unknown',
      'Of 49 served, 1 was A (2\u00a0%). That is not enough to check the split.',
    ],
    ['enough of A', served(5, 45, 0.1), 'fits', /p = 1\.0/],
    ['too few of B', served(45, 4, 0.9), 'unknown', /not enough to check/],
  ] as const)('%s', (_, roll, verdict, sentence) => {
    const fit = fitOf(roll)
    expect(fit?.verdict).toBe(verdict)
    expect(fit && labels.fit.sentence(fit, roll.chance)).toMatch(sentence)
  })

  it.each([served(0, 0, 0.5), served(0, 20, 0), served(10, 0, 1)])('is not judged for %j', (roll) => {
    expect(fitOf(roll)).toBeUndefined()
  })
})
