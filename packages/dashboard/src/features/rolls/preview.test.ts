import { describe, expect, it } from 'vitest'
import type { TargetingRule } from '@rollkey/contract/rules'
import vectors from '@rollkey/contract/vectors/ab-roll.json'
import { contextsOf, previewOf, sampleUnits, unitOf } from './preview.ts'

describe('unitOf', () => {
  it.each(vectors.vectors)('$name / $seed / $key', ({ name, seed, key, u }) => {
    expect(unitOf(name, seed, key)).toBe(u)
  })
})

const pro: TargetingRule = { when: { plan: { in: ['pro', 'team'] } }, then: 'a' }
const half: TargetingRule = { when: { country: { equals: 'CH' } }, then: 0.5 }
const units = Array.from({ length: 1_000 }, (_, user) => user / 1_000)

describe('a preview', () => {
  it('counts who gets A by the step that decides', () => {
    const contexts = [{ plan: 'pro' }, { country: 'CH' }, { plan: 'free' }, {}]
    const { steps, a, withoutAttributes } = previewOf(
      { chance: 0.1, rules: [pro, half], pinned: { a: 3, b: 2 } },
      contexts,
      units,
    )
    expect(steps).toEqual([
      { by: 'pin', a: 3, b: 2 },
      { by: 'rule', rule: 1, a: 250, b: 0 },
      { by: 'rule', rule: 2, a: 125, b: 125 },
      { by: 'chance', a: 50, b: 450 },
    ])
    expect(a).toBe(428)
    expect(withoutAttributes).toBe(250)
  })

  it('assumes users without attributes where there are no contexts, so no rule matches', () => {
    expect(previewOf({ chance: 0.25, rules: [pro] }, [], units)).toEqual({
      steps: [
        { by: 'rule', rule: 1, a: 0, b: 0 },
        { by: 'chance', a: 250, b: 750 },
      ],
      a: 250,
      withoutAttributes: 1_000,
    })
  })

  it('has the same users each time, of whom about the chance gets A', () => {
    expect(sampleUnits('CHECKOUT')).toEqual(sampleUnits('CHECKOUT'))
    const { a } = previewOf({ chance: 0.2 }, [], sampleUnits('CHECKOUT'))
    expect(a).toBeGreaterThan(160)
    expect(a).toBeLessThan(240)
  })
})

describe('sample contexts', () => {
  it('are the JSON objects of the lines', () => {
    expect(contextsOf('{"plan": "pro"}\n\n {"age": 3} \n')).toEqual({ contexts: [{ plan: 'pro' }, { age: 3 }] })
  })

  it.each(['{"plan": "pro"}\n[1]', '{"plan": "pro"}\n{plan}', '{}\nnull'])(
    'name the line that is wrong: %j',
    (source) => {
      expect(contextsOf(source).problem).toBe(
        'Line 2 is not a JSON object, such as {"plan": "pro"}. Check its quotes, commas and brackets.',
      )
    },
  )
})
