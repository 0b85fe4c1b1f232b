import { describe, expect, it } from 'vitest'
import { expectedRange } from './expected.ts'

describe('the expected range of the share of A', () => {
  it('is 1.96 standard errors to each side of the chance', () => {
    // sqrt(0.25 * 0.75 / 1,200) = 0.0125.
    const { low, high } = expectedRange([{ a: 300, b: 900, chance: 0.25 }]) ?? {}
    expect(low).toBeCloseTo(0.2255, 10)
    expect(high).toBeCloseTo(0.2745, 10)
  })

  it('is that of all evaluations where hours had different chances', () => {
    const { low = 0, high = 0 } =
      expectedRange([
        { a: 0, b: 100, chance: 0 },
        { a: 100, b: 0, chance: 1 },
      ]) ?? {}
    expect([low, high]).toEqual([0.5, 0.5])
  })

  it('never leaves 0 to 1', () => {
    expect(expectedRange([{ a: 1, b: 0, chance: 0.5 }])).toEqual({ low: 0, high: 1 })
  })

  it.each([
    ['nothing was served', [{ a: 0, b: 0, chance: 0.5 }]],
    [
      'the chance changed',
      [
        { a: 1, b: 1, chance: 0.5 },
        { a: 1, b: 1 },
      ],
    ],
  ])('is unknown where %s', (_, counts) => {
    expect(expectedRange(counts)).toBeUndefined()
  })

  it('leaves out hours without evaluations', () => {
    expect(
      expectedRange([
        { a: 0, b: 0 },
        { a: 5, b: 0, chance: 1 },
      ]),
    ).toEqual({ low: 1, high: 1 })
  })
})
