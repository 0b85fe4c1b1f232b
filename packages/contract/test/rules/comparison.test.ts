import { alignByName, differingAspects, opens, type DigestedState } from '@rollkey/contract/rules'
import { describe, expect, test } from 'vitest'

const roll: DigestedState = { kind: 'ab_roll', chance: 0.5, digests: { a: 'x', b: 'y' } }
const secret: DigestedState = { kind: 'secret', digests: { value: 'x' } }

test('alignByName orders names of all stages by code point', () => {
  const [first, second, third] = [['b', 'A'], ['\u{1F600}', 'b'], ['\u{FFFD}']].map((names) =>
    names.map((name) => ({ name })),
  )
  expect(alignByName([first ?? [], second ?? [], third ?? []])).toEqual([
    { name: 'A', variables: [{ name: 'A' }, undefined, undefined] },
    { name: 'b', variables: [{ name: 'b' }, { name: 'b' }, undefined] },
    { name: '\u{FFFD}', variables: [undefined, undefined, { name: '\u{FFFD}' }] },
    { name: '\u{1F600}', variables: [undefined, { name: '\u{1F600}' }, undefined] },
  ])
})

test('opens needs a digest of every value of the kind', () => {
  expect([secret, roll].every(opens)).toBe(true)
  expect(opens({ ...secret, digests: {} })).toBe(false)
  expect(opens({ ...roll, digests: { a: 'x' } })).toBe(false)
})

describe('differingAspects', () => {
  test.each<[string, DigestedState, DigestedState, string[]]>([
    ['nothing', roll, roll, []],
    ['the kind alone', secret, roll, ['kind']],
    ['a declared type', secret, { ...secret, declaredType: 'int64' }, ['declaredType']],
    ['an attribute', roll, { ...roll, chance: 0.4 }, ['chance']],
    [
      'an exposure and a description',
      secret,
      { ...secret, exposure: 'plain', description: 'd' },
      ['exposure', 'description'],
    ],
    ['one value', roll, { ...roll, digests: { a: 'x', b: 'z' } }, ['b']],
    ['swapped values', roll, { ...roll, digests: { a: 'y', b: 'x' } }, ['a', 'b']],
    ['a value that does not open', { ...secret, digests: {} }, { ...secret, digests: {} }, ['value']],
  ])('finds %s', (_, left, right, aspects) => {
    expect(differingAspects(left, right)).toEqual(aspects)
  })
})
