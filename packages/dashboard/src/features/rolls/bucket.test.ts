import { describe, expect, it } from 'vitest'
import vectors from '@rollkey/contract/vectors/ab-roll.json' with { type: 'json' }
import { choiceSentence, unitOf } from './bucket.ts'

describe('unitOf', () => {
  it.each(vectors.vectors)('$name / $seed / $key', ({ name, seed, key, u }) => {
    expect(unitOf(name, seed, key)).toBe(u)
  })
})

describe('choiceSentence', () => {
  it.each([
    [0.18349, 0.25, 'Bucket 0.1834 is below the chance 0.25, so A.'],
    [0.24999999, 0.25, 'Bucket 0.2499 is below the chance 0.25, so A.'],
    [0.25, 0.25, 'Bucket 0.2500 is not below the chance 0.25, so B.'],
    [0.7247029753655185, 0, 'Bucket 0.7247 is not below the chance 0, so B.'],
    [0.1000004, 0.1000002, 'Bucket 0.1000004 is not below the chance 0.1000002, so B.'],
  ])('says of %j and %j: %s', (unit, chance, sentence) => {
    expect(choiceSentence(unit, chance)).toBe(sentence)
  })
})
