import { describe, expect, test } from 'vitest'
import { compareCodePoints } from '@rollkey/contract/rules'
import { seeded } from '../../../server/testkit/random.ts'

/** Compares by the code points of the characters: the reference implementation, slow and simple. */
function byNumbers(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => Array.from(text, (character) => character.codePointAt(0) ?? 0)) as [
    number[],
    number[],
  ]
  for (const [index, number] of x.entries()) {
    const other = y[index]
    if (other === undefined) return 1
    if (number !== other) return number - other
  }
  return x.length - y.length
}

describe('the order by code point', () => {
  test('puts characters beyond the basic plane after all others', () => {
    const inOrder = ['A', 'Z', '_', 'a', '\u00e9', '\ud7ff', '\ue000', '\ufeff', '\uffff', '\u{10000}', '\u{10ffff}']
    expect(inOrder.toReversed().toSorted(compareCodePoints)).toEqual(inOrder)
    // The default order of JavaScript.
    expect(inOrder.toSorted()).not.toEqual(inOrder)
  })

  test('puts a text before its continuations', () => {
    const inOrder = ['', 'A', 'AA', 'AAA', 'AB', 'A\uffff', 'A🚀', 'A🚀A', 'B']
    expect(inOrder.toReversed().toSorted(compareCodePoints)).toEqual(inOrder)
  })

  test('ignores language and case rules', () => {
    expect(['é', 'e', 'E', 'z', 'Z', 'e\u0301', '10', '9'].toSorted(compareCodePoints)).toEqual([
      '10',
      '9',
      'E',
      'Z',
      'e',
      'e\u0301',
      'z',
      'é',
    ])
  })

  test('is 0 only for identical texts', () => {
    expect(compareCodePoints('A🚀', 'A🚀')).toBe(0)
    expect(compareCodePoints('\u00e9', 'e\u0301')).not.toBe(0)
  })

  test('agrees with the reference implementation on random texts', () => {
    const random = seeded(7)
    const letters = ['a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10001}', '\u{103ff}', '\u{10400}', '🚀']
    const text = (): string =>
      Array.from({ length: Math.floor(random() * 4) }, () => letters[Math.floor(random() * letters.length)]).join('')
    const pairs = Array.from({ length: 20_000 }, () => [text(), text()] as const)
    const wrong = pairs.filter(([a, b]) => Math.sign(compareCodePoints(a, b)) !== Math.sign(byNumbers(a, b)))
    expect(wrong).toEqual([])
  })
})
