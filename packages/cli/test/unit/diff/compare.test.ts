import { expect, test } from 'vitest'
import { compare as compareStages } from '../../../src/diff/compare.ts'

type Variables = Parameters<typeof compareStages>[0]['variables']

function compare(left: Variables, right: Variables) {
  return compareStages({ variables: left }, { variables: right })
}

const roll = { name: 'ROLL', kind: 'ab_roll', chance: 0.5, digests: { a: 'x', b: 'y' } } as const
const secret = { name: 'SECRET', kind: 'secret', digests: { value: 'x' } } as const

test('finds names of one side and how the others differ, in the order of names', () => {
  const left = [
    { ...secret, name: 'LEFT' },
    roll,
    secret,
    { ...secret, name: 'SAME' },
    { ...secret, name: '__proto__' },
  ]
  const right = [
    { ...secret, name: 'RIGHT' },
    { ...roll, chance: 0.2, digests: { a: 'x', b: 'z' } },
    { ...secret, declaredType: 'json', digests: { value: 'y' } } as const,
    { ...secret, name: 'SAME' },
    { ...secret, name: '__proto__' },
  ]
  expect(compare(left, right)).toEqual([
    { name: 'LEFT', state: 'only-in-left' },
    { name: 'RIGHT', state: 'only-in-right' },
    { name: 'ROLL', state: 'different', differs: ['chance', 'b'] },
    { name: 'SAME', state: 'same' },
    { name: 'SECRET', state: 'different', differs: ['declaredType', 'value'] },
    { name: '__proto__', state: 'same' },
  ])
})

test('does not compare values of different kinds', () => {
  expect(compare([secret], [{ ...roll, name: 'SECRET' }])).toEqual([
    { name: 'SECRET', state: 'different', differs: ['kind'] },
  ])
})

test('compares each value separately', () => {
  for (const [digests, differs] of [
    [{ a: 'x', b: 'y' }, undefined],
    [{ a: 'z', b: 'y' }, ['a']],
    [{ a: 'y', b: 'x' }, ['a', 'b']],
  ] as const) {
    expect(compare([roll], [{ ...roll, digests }])[0]?.differs).toEqual(differs)
  }
})

test('treats a value that does not open as different, and names its side', () => {
  const closed = { ...secret, digests: {} }
  expect(compare([secret], [closed])).toEqual([
    { name: 'SECRET', state: 'different', differs: ['value'], unopened: ['right'] },
  ])
  expect(compare([closed], [closed])).toEqual([
    { name: 'SECRET', state: 'different', differs: ['value'], unopened: ['left', 'right'] },
  ])
  expect(compare([closed], [])).toEqual([{ name: 'SECRET', state: 'only-in-left', unopened: ['left'] }])
  expect(compare([], [{ ...roll, digests: { a: 'x' } }])).toEqual([
    { name: 'ROLL', state: 'only-in-right', unopened: ['right'] },
  ])
})

test('says nothing about values that the caller may not read', () => {
  const left = [roll, secret, { ...secret, name: 'NEW' }, { ...secret, name: 'TYPED', declaredType: 'json' } as const]
  const right = [
    { ...roll, chance: 0.2, digests: { a: 'x', b: 'z' } },
    { ...secret, digests: { value: 'x hidden' } },
    { ...secret, name: 'TYPED', digests: { value: 'y hidden' } },
  ]
  const rows = [
    { name: 'NEW', state: 'only-in-left' },
    { name: 'ROLL', state: 'different', differs: ['chance'] },
    { name: 'SECRET', state: 'hidden' },
    { name: 'TYPED', state: 'different', differs: ['declaredType'] },
  ]
  expect(compareStages({ variables: left }, { variables: right, valuesHidden: true })).toEqual(rows)
  expect(compareStages({ variables: left, valuesHidden: true }, { variables: right })).toEqual(rows)
})
