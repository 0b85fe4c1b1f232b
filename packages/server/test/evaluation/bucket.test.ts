import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import vectors from '@rollkey/contract/vectors/ab-roll.json' with { type: 'json' }
import { unitOf } from '../../src/evaluation/bucket.ts'
import { seeded } from '../../testkit/random.ts'

describe('the known answers', () => {
  test('have not changed', () => {
    expect(vectors.vectors.map(({ hash, u }) => `${hash} ${u}`)).toEqual([
      '50304f00175f27bc 0.3132371306631936',
      'b986225a82407615 0.7247029753655185',
      'f90b5cfc44a823e5 0.972829639042772',
      'dcde7835b35b55ce 0.8627696162323961',
      '00000c457d3a3154 7.314349452780533e-7',
      'fffffba7b32fefb6 0.9999997410224634',
    ])
  })

  test.each(vectors.vectors)('$name / $seed / $key', ({ name, seed, key, hash, u }) => {
    const digest = createHash('sha256').update(`ab_roll:${name}:${seed}:${key}`, 'utf8').digest('hex')
    expect(digest.slice(0, 16)).toBe(hash)
    expect(unitOf(name, seed, key)).toBe(u)
  })
})

describe('the unit of a roll', () => {
  test('is the top 53 bits of the hash, for any texts', () => {
    const random = seeded(1)
    for (let round = 0; round < 2_000; round++) {
      const [name, seed, key] = [random(), random(), random()].map((number) => `${number}é🚀`.slice(round % 19)) as [
        string,
        string,
        string,
      ]
      const first8 = createHash('sha256').update(`ab_roll:${name}:${seed}:${key}`, 'utf8').digest().readBigUInt64BE(0)
      expect(unitOf(name, seed, key)).toBe(Number(first8 >> 11n) / 2 ** 53)
    }
  })

  test('is at least 0 and less than 1', () => {
    for (let index = 0; index < 10_000; index++) {
      const u = unitOf('N', `${index}`, '')
      expect(u >= 0 && u < 1).toBe(true)
    }
  })

  test('uses the texts unchanged: no trimming, normalizing or case folding', () => {
    const seeds = ['é', 'e\u0301', 'É', ' é', 'é ', 'é\u0000', '\ufeffé']
    expect(new Set(seeds.map((seed) => unitOf('N', seed, 'k'))).size).toBe(seeds.length)
  })

  test('differs by name, seed and key', () => {
    const units = [unitOf('N', 's', 'k'), unitOf('M', 's', 'k'), unitOf('N', 't', 'k'), unitOf('N', 's', 'l')]
    expect(new Set(units).size).toBe(4)
  })
})
