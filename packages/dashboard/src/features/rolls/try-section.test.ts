import { describe, expect, it } from 'vitest'
import vectors from '@rollkey/contract/vectors/ab-roll.json'
import { choiceSentence, unitOf } from './try-section.tsx'

describe('unitOf', () => {
  it.each(vectors.vectors)('$name / $seed / $key', ({ name, seed, key, u }) => {
    expect(unitOf(name, seed, key)).toBe(u)
  })
})

describe('choiceSentence', () => {
  it.each([
    [0.18349, 0.25, 'user-1 gets A (bucket 18.3 %, below 25 %).'],
    [0.0312, 0.25, 'user-1 gets A (bucket 3.1 %, below 25 %).'],
    [0.24999999, 0.25, 'user-1 gets A (bucket 24.9 %, below 25 %).'],
    [0.5751, 0.25, 'user-1 gets B (bucket 57.5 %, above 25 %).'],
    [0.25, 0.25, 'user-1 gets B (bucket 25.0 %, not below 25 %).'],
    [0.7247029753655185, 0, 'user-1 gets B (bucket 72.4 %, above 0 %).'],
    [0.1000004, 0.1000002, 'user-1 gets B (bucket 10.00004 %, above 10.00002 %).'],
  ])('says of %j and %j: %s', (unit, chance, sentence) => {
    expect(choiceSentence('user-1', unit, chance)).toBe(sentence)
  })
})
