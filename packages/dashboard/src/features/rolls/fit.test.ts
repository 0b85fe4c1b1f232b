import { describe, expect, it } from 'vitest'
import { fitOf } from '../../data/rolls/fit.ts'
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
      'Since then, A was served 612 of 1,204 times (50.8%). 50% would be 602.',
      'in 56 of 100 rolls (p = 0.56)',
    ],
    // χ² = (632 - 602)² / 301 = 2.990; p = 0.084.
    ['still usual', served(632, 572, 0.5), 'fits', /would be 602\.$/, '(p = 0.084)'],
    // χ² = (642 - 602)² / 301 = 5.316; p = 0.021.
    [
      'rare',
      served(642, 562, 0.5),
      'unusual',
      'Since then, A was served 642 of 1,204 times (53.3%). 50% would be 602. That may be a coincidence: look again when there are more.',
      'in 2 of 100 rolls (p = 0.021)',
    ],
    // χ² = (652 - 602)² / 301 = 8.306; p = 0.0040.
    ['rarer', served(652, 552, 0.5), 'unusual', /That may be a coincidence/, 'in 4 of 1,000 rolls (p = 0.004)'],
    // χ² = (672 - 602)² / 301 = 16.28.
    ['too rare', served(672, 532, 0.5), 'differs', /50% would be 602\.$/, 'in fewer than 1 of 1,000 rolls (p < 0.001)'],
    ['all A', served(20, 0, 0.5), 'differs', /^Since then, A was served 20 of 20 times \(100%\)/, 'p < 0.001'],
    ['too few of A', served(1, 48, 0.1), 'unknown', 'Since then, A was served 1 of 49 times (2%).', ''],
    ['enough of A', served(5, 45, 0.1), 'fits', /10% would be 5\.$/, 'in 100 of 100 rolls (p = 1.0)'],
    ['too few of B', served(45, 4, 0.9), 'unknown', /45 of 49 times \([^)]*\)\.$/, ''],
  ] as const)('%s', (_, roll, verdict, sentence, cases) => {
    const fit = fitOf(roll)
    expect(fit?.verdict).toBe(verdict)
    expect(fit && labels.fit.sentence(fit, roll.chance)).toMatch(sentence)
    expect(fit?.p === undefined ? '' : labels.fit.detailsText(fit.p)).toContain(cases)
  })

  it.each([served(0, 0, 0.5), served(0, 20, 0), served(10, 0, 1)])('is not judged for %j', (roll) => {
    expect(fitOf(roll)).toBeUndefined()
  })
})
