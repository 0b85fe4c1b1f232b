import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  bucketText,
  decide,
  limits,
  pinCounts,
  pinnedSide,
  problemOfPins,
  sortedPins,
  stepText,
  unitOfHash,
  type Context,
  type Pins,
  type TargetingRule,
} from '@rollkey/contract/rules'
import { describe, expect, test } from 'vitest'

interface Vector {
  readonly note: string
  readonly name: string
  readonly seed: string
  readonly key: string
  readonly chance: number
  readonly pins?: Pins
  readonly rules?: TargetingRule[]
  readonly context?: Context
  readonly decision: string
  readonly step: object
}

const { vectors } = JSON.parse(readFileSync(new URL('../../vectors/decisions.json', import.meta.url), 'utf8')) as {
  vectors: Vector[]
}

function unitOf(name: string, seed: string, key: string): number {
  const hash = createHash('sha256')
    .update(bucketText(name, seed, key))
    .digest()
  return unitOfHash(hash.readUInt32BE(0), hash.readUInt32BE(4))
}

test.each(vectors)('decide gives the known answer: $note', ({ name, seed, key, pins = {}, context, ...roll }) => {
  const pinned = pinnedSide(pins, seed)
  const { decision, step } = decide(roll, { pinned, context, unit: () => unitOf(name, seed, key) })
  expect({ decision, step }).toEqual({ decision: roll.decision, step: roll.step })
})

describe('decide', () => {
  const rules = [{ when: { plan: { equals: 'pro' } }, then: 'b' }] as const

  test('asks for the bucket only if a chance decides', () => {
    const unit = (): number => {
      throw new Error('asked for the bucket')
    }
    expect(decide({ chance: 0.5 }, { pinned: 'a', unit })).toEqual({ decision: 'a', step: { by: 'pin' } })
    const byRule = decide({ chance: 0.5, rules }, { context: { plan: 'pro' }, unit })
    expect(byRule).toEqual({ decision: 'b', step: { by: 'rule', rule: 1 } })
  })

  test('moves no one out of a when the chance rises', () => {
    for (let bucket = 0; bucket < 1; bucket += 0.05) {
      const sides = [0, 0.1, 0.5, 0.9, 1].map((chance) => decide({ chance }, { unit: () => bucket }).decision)
      expect(sides.join('')).toMatch(/^b*a*$/)
      expect([sides[0], sides.at(-1)]).toEqual(['b', 'a'])
    }
  })
})

describe('pins', () => {
  test('are of the seed, never of an absent or empty one', () => {
    const pins = { a: ['user-1'], b: ['user-2', ''] }
    const seeds = ['user-1', 'user-2', 'user-3', '', undefined]
    expect(seeds.map((seed) => pinnedSide(pins, seed))).toEqual(['a', 'b', undefined, undefined, undefined])
  })

  test('are counted and ordered by code point', () => {
    expect(pinCounts({ b: ['1', '2'] })).toEqual({ a: 0, b: 2 })
    expect(sortedPins({ a: ['\u{1f600}', '\uff5e', 'B', 'a'] })).toEqual({
      a: ['B', 'a', '\uff5e', '\u{1f600}'],
      b: [],
    })
  })

  test.each<[unknown, string]>([
    [[], ''],
    ['user-1', ''],
    [null, ''],
    [{ a: 'user-1' }, 'a'],
    [{ a: Array.from({ length: limits.pinnedSeeds + 1 }, (_, index) => `user-${index}`) }, 'a'],
    [{ a: ['user-1', ''] }, 'a.1'],
    [{ b: [1] }, 'b.0'],
    [{ b: ['\ud800'] }, 'b.0'],
    [{ b: ['s'.repeat(limits.seedBytes + 1)] }, 'b.0'],
    [{ b: ['ß'.repeat(limits.seedBytes / 2 + 1)] }, 'b.0'],
    [{ a: ['user-1', 'user-1'] }, 'a.1'],
    [{ a: ['user-1'], b: ['user-2', 'user-1'] }, 'b.1'],
  ])('%j is refused at %s', (pins, path) => {
    const problem = problemOfPins(pins)
    expect(problem?.path.join('.')).toBe(path)
    expect(problem?.message).toMatch(/^is .+: .+/)
    expect(problem?.message).not.toContain('user-')
  })

  test.each<Pins>([
    {},
    { a: [], b: [] },
    {
      a: Array.from({ length: limits.pinnedSeeds }, (_, index) => `user-${index}`),
      b: ['ß'.repeat(limits.seedBytes / 2)],
    },
  ])('are accepted up to the limits', (pins) => {
    expect(problemOfPins(pins)).toBeUndefined()
  })
})

test.each([
  [{ by: 'pin' }, 'pin'],
  [{ by: 'rule', rule: 2 }, 'rule 2'],
  [{ by: 'chance', chance: 0.5 }, 'chance: random, A with probability 0.5'],
  [{ by: 'rule', rule: 2, unit: 0.25, chance: 0.2 }, 'rule 2: 0.25 ≥ 0.2'],
  [{ by: 'chance', unit: 0.3132371306631936, chance: 0.5 }, 'chance: 0.31 < 0.5'],
  [{ by: 'chance', unit: 0.4999961, chance: 0.5 }, 'chance: 0.499996 < 0.5'],
  [{ by: 'chance', unit: 0.5000000000000001, chance: 0.5 }, 'chance: 0.5000000000000001 ≥ 0.5'],
  [{ by: 'chance', unit: 0.5, chance: 0.5 }, 'chance: 0.5 ≥ 0.5'],
] as const)('stepText shows the comparison: %j', (step, text) => {
  expect(stepText(step)).toBe(text)
})
