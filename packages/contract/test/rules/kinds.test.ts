import {
  attributesOf,
  clearedAttributes,
  isKind,
  isMoreExposed,
  isRolled,
  kindNames,
  kinds,
  statedAttributes,
  valueFieldsOf,
  valuesOf,
} from '@rollkey/contract/rules'
import { expect, test } from 'vitest'

const roll = { name: 'R', kind: 'ab_roll', valueA: '1', valueB: '2', chance: 0.2 } as const

test('valuesOf and attributesOf take an entry apart', () => {
  expect(valuesOf(roll)).toEqual(['1', '2'])
  expect(attributesOf(roll)).toEqual({ chance: 0.2 })
  expect(valueFieldsOf('ab_roll', ['1', '2'])).toEqual({ valueA: '1', valueB: '2' })
  expect(valuesOf({ kind: 'secret', value: '1' })).toEqual(['1'])
  expect(attributesOf({ kind: 'secret', chance: 0.2 })).toEqual({})
})

test('attributesOf keeps what an entry omits, clears what it clears, and drops defaults and what its kind cannot have', () => {
  const stored = { chance: 0.9, exposure: 'plain', description: 'Old' } as const
  expect(attributesOf(roll, stored)).toEqual({ ...stored, chance: 0.2 })
  expect(Object.keys(attributesOf({ ...roll, description: 'New' }, stored))).toEqual([
    'chance',
    'exposure',
    'description',
  ])
  expect(attributesOf({ ...roll, description: null, exposure: 'secret' }, stored)).toEqual({ chance: 0.2 })
  expect(attributesOf({ kind: 'secret', description: '' }, stored)).toEqual({ exposure: 'plain' })
  expect(attributesOf({ ...roll, ...clearedAttributes }, stored)).toEqual({ chance: 0.2 })
})

test('isMoreExposed orders exposures, and none is secret', () => {
  const order = [undefined, 'secret', 'plain', 'client'] as const
  const ranks = [0, 0, 1, 2]
  for (const [i, one] of order.entries()) {
    for (const [j, other] of order.entries()) expect(isMoreExposed(one, other)).toBe((ranks[i] ?? 0) > (ranks[j] ?? 0))
  }
})

test('an update states attributes by their fields, and a cleared one is null in the field of a write', () => {
  expect(statedAttributes({ unpin: ['u'], chance: 0, description: null })).toEqual(['chance', 'description', 'pinned'])
  expect(statedAttributes({ rules: undefined })).toEqual([])
  expect(clearedAttributes).toEqual({ exposure: null, description: null, labels: null, rules: null, pins: null })
})

test.each(kindNames)('%s chooses one of its values, and has each role and field once', (kind) => {
  const { values, choose } = kinds[kind]
  for (const unit of [0, 0.5, 1 - 2 ** -53]) expect(values[choose({}, { unit: () => unit }).index]).toBeDefined()
  expect(new Set(values.map(({ role }) => role)).size).toBe(values.length)
  expect(new Set(values.map(({ field }) => field)).size).toBe(values.length)
})

test('a kind that is not rolled never asks for the unit', () => {
  const unit = (): number => {
    throw new Error('asked for the unit')
  }
  for (const kind of kindNames.filter((name) => !isRolled(name)))
    expect(() => kinds[kind].choose({}, { unit })).not.toThrow()
})

test('a kind of a newer service is unknown and may depend on the roll', () => {
  expect([isKind('secret'), isKind('toString'), isKind('newer')]).toEqual([true, false, false])
  expect([isRolled('secret'), isRolled('ab_roll'), isRolled('newer')]).toEqual([false, true, true])
})
