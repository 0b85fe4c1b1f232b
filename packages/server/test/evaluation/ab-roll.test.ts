import { kinds, type Roll } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { unitOf } from '../../src/evaluation/bucket.ts'
import { choose, type Dice } from '../../src/evaluation/choose.ts'
import { seeded } from '../../testkit/random.ts'

/** Returns the decision of a roll whose random number is `random`. */
function decide(chance: number, roll: Roll, random = 0.5, name = 'NAME'): 'a' | 'b' | undefined {
  const dice: Dice = { unitOf, random: () => random }
  const { index, decision } = choose({ name, kind: 'ab_roll', attributes: { chance } }, roll, dice)
  if (kinds.ab_roll.values[index]?.role !== decision) throw new Error('the decision is not the value that is given')
  return decision
}

/** Returns the next double towards infinity. */
function nextAbove(number: number): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, number)
  view.setBigUint64(0, view.getBigUint64(0) + 1n)
  return view.getFloat64(0)
}

const users = Array.from({ length: 2_000 }, (_, index) => `user ${index}`)
const extremes = [
  { name: 'EDGE', seed: '253453', key: 'k' },
  { name: 'EDGE', seed: '795779', key: 'k' },
]

describe('a chance of 0', () => {
  test('never gives a, not even for the lowest hash', () => {
    for (const seed of users) expect(decide(0, { seed })).toBe('b')
    for (const { name, ...roll } of extremes) expect(decide(0, roll, 0, name)).toBe('b')
    expect(decide(0, {}, 0)).toBe('b')
  })
})

describe('a chance of 1', () => {
  test('always gives a, even for the highest hash', () => {
    for (const seed of users) expect(decide(1, { seed })).toBe('a')
    for (const { name, ...roll } of extremes) expect(decide(1, roll, 0, name)).toBe('a')
    expect(decide(1, {}, 1 - 2 ** -53)).toBe('a')
  })
})

describe('the boundary', () => {
  test('is exact: a chance of u gives b, the next double above u gives a', () => {
    for (const seed of users) {
      const u = unitOf('NAME', seed, 'key')
      expect([decide(u, { seed, key: 'key' }), decide(nextAbove(u), { seed, key: 'key' })]).toEqual(['b', 'a'])
    }
  })

  test('is exact for random rolls too', () => {
    expect([decide(0.25, {}, 0.25), decide(nextAbove(0.25), {}, 0.25)]).toEqual(['b', 'a'])
  })
})

describe('raising the chance', () => {
  test('moves no seed out of a', () => {
    const random = seeded(3)
    const chances = [0, 1, ...Array.from({ length: 60 }, random)].toSorted((a, b) => a - b)
    for (const seed of users) {
      const decisions = chances.map((chance) => decide(chance, { seed, key: 'k' })).join('')
      expect(decisions).toMatch(/^b+a+$/)
    }
  })
})

describe('a roll without seed and key', () => {
  test.each<Roll>([{}, { seed: '' }, { key: '' }, { seed: '', key: '' }, { seed: undefined, key: undefined }])(
    'is random: %j',
    (roll) => {
      expect([decide(0.5, roll, 0.4999), decide(0.5, roll, 0.5)]).toEqual(['a', 'b'])
    },
  )
})

describe('a roll with a seed or a key', () => {
  test.each<[string, Roll, string]>([
    ['a seed alone', { seed: 's' }, 'ab_roll:NAME:s:'],
    ['a key alone', { key: 'k' }, 'ab_roll:NAME::k'],
    ['a seed and an empty key', { seed: 's', key: '' }, 'ab_roll:NAME:s:'],
    ['an empty seed and a key', { seed: '', key: 'k' }, 'ab_roll:NAME::k'],
    ['both', { seed: 's', key: 'k' }, 'ab_roll:NAME:s:k'],
  ])('is the same each time, whatever the random number: %s', (_, roll, text) => {
    const [, name = '', seed = '', key = ''] = text.split(':')
    const u = unitOf(name, seed, key)
    for (const random of [0, 0.5, 1 - 2 ** -53]) {
      expect([decide(u, roll, random), decide(nextAbove(u), roll, random)]).toEqual(['b', 'a'])
    }
  })

  test('differs for another variable', () => {
    const decisions = (name: string): string => users.map((seed) => decide(0.5, { seed }, 0, name)).join('')
    expect(decisions('ONE')).not.toBe(decisions('TWO'))
  })
})

describe('the shares', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => unitOf('SHARE', `user-${index}`, 'test'))

  test.each([0.001, 0.1, 0.25, 0.5, 0.9, 0.999])('of a approach a chance of %d', (chance) => {
    const share = many.filter((u) => u < chance).length / many.length
    const deviation = Math.sqrt((chance * (1 - chance)) / many.length)
    expect(Math.abs(share - chance)).toBeLessThan(4 * deviation)
  })

  test('of 16 equal parts are equal (chi-square, 15 degrees of freedom)', () => {
    const counts = Array<number>(16).fill(0)
    for (const u of many) counts[Math.floor(u * 16)] = (counts[Math.floor(u * 16)] ?? 0) + 1
    const expected = many.length / 16
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    // The texts are fixed, so chance decides nothing. Of random ones, one set in a thousand exceeds it.
    expect(chiSquare).toBeLessThan(37.7)
  })

  test('of two experiments with the same users are independent', () => {
    const other = Array.from({ length: many.length }, (_, index) => unitOf('SHARE', `user-${index}`, 'other'))
    const both = many.filter((u, index) => u < 0.5 && (other[index] ?? 1) < 0.5).length / many.length
    expect(Math.abs(both - 0.25)).toBeLessThan(4 * Math.sqrt((0.25 * 0.75) / many.length))
  })
})

describe('a secret', () => {
  test('has one value and no decision', () => {
    const dice: Dice = { unitOf, random: () => 0 }
    expect(choose({ name: 'NAME', kind: 'secret', attributes: {} }, { seed: 's' }, dice)).toEqual({ index: 0 })
    expect(kinds.secret.values).toHaveLength(1)
  })
})
