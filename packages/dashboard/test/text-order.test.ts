import { expect, it } from 'vitest'
import { byCodePoint } from '../src/base/text-order.ts'

it('sorts by code points, where code units would not', () => {
  const sorted = ['', 'A', 'AB', 'B', 'a', 'é', '\u{FFFD}', '\u{1F600}', '\u{1F600}a', '\u{1F601}', '\u{2F800}']
  expect(sorted.toReversed().toSorted(byCodePoint)).toEqual(sorted)
  expect(sorted.toSorted()).not.toEqual(sorted)
})
