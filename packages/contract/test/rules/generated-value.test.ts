import { afterEach, expect, test, vi } from 'vitest'
import { type GeneratedOptions, generatedValue, problemOfGenerated, rotationSteps } from '../../src/rules/index.ts'

afterEach(() => vi.restoreAllMocks())

test.each<[GeneratedOptions, RegExp]>([
  [{ form: 'base64url' }, /^[\w-]{43}$/],
  [{ form: 'hex', length: 8 }, /^[0-9a-f]{8}$/],
  [{ form: 'uuid' }, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
  [{ form: 'passphrase', length: 4 }, /^[a-z]{5}(-[a-z]{5}){3}$/],
  [{ form: 'alphabet', alphabet: '☕🚀', length: 9 }, /^(?:☕|🚀){9}$/u],
])('a value of %j has its form', (options, form) => {
  expect(generatedValue(options)).toMatch(form)
})

test.each<[GeneratedOptions, 'length' | 'alphabet']>([
  [{ form: 'hex', length: 7 }, 'length'],
  [{ form: 'hex', length: 1_025 }, 'length'],
  [{ form: 'hex', length: 8.5 }, 'length'],
  [{ form: 'hex', length: Number.NaN }, 'length'],
  [{ form: 'passphrase', length: 3 }, 'length'],
  [{ form: 'uuid', length: 36 }, 'length'],
  [{ form: 'alphabet', alphabet: 'a' }, 'alphabet'],
  [{ form: 'alphabet', alphabet: 'aba' }, 'alphabet'],
  [{ form: 'alphabet' }, 'alphabet'],
])('of %j, the %s is refused', (options, problem) => {
  expect(problemOfGenerated(options)).toBe(problem)
  expect(() => generatedValue(options)).toThrow(RangeError)
})

test('each character has the same chance: a draw beyond the last multiple of their number is drawn again', () => {
  // 3 does not divide 2³²: the last draw would be one more for the first character.
  const draws = [2 ** 32 - 1, 1, 2, 0, 1, 2, 0, 1, 2]
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((into) => {
    if (into instanceof Uint32Array) into[0] = draws.shift() ?? 0
    return into
  })
  expect(generatedValue({ form: 'alphabet', alphabet: '012', length: 8 })).toBe('12012012')
})

test('a rotation ends with the new value for all, after its whole time', () => {
  expect(rotationSteps(1_000, 400)).toEqual([
    { atMs: 1_000, chance: 0.01 },
    { atMs: 1_100, chance: 0.1 },
    { atMs: 1_200, chance: 0.25 },
    { atMs: 1_300, chance: 0.5 },
    { atMs: 1_400, chance: 1 },
  ])
})
