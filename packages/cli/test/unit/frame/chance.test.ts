import { expect, test } from 'vitest'
import { chanceOf } from '../../../src/frame/chance.ts'

test.each([
  ['25%', 0.25],
  ['0%', 0],
  ['100%', 1],
  ['33.3%', 0.333],
  ['0.1%', 0.001],
  [' 7 % ', 0.07],
  ['0.25', 0.25],
  ['.5', 0.5],
  ['1', 1],
  ['0', 0],
  ['1e-3', 0.001],
])('%j is the chance %d', (text, chance) => {
  expect(chanceOf(text)).toBe(chance)
})

test.each(['', ' ', '%', '101%', '-1%', '-0.1', '1e3%', '25%%', 'often', 'NaN', 'Infinity', '0,5', '1000'])(
  '%j is none',
  (text) => {
    const expected = { code: 'USAGE', message: expect.stringContaining('(expected 0% to 100%, or 0 to 1)') as unknown }
    expect(() => chanceOf(text)).toThrow(expect.objectContaining(expected))
  },
)

test('a percentage without its sign is not guessed, but named', () => {
  expect(() => chanceOf('25', '--to')).toThrow(
    '--to "25" is not a chance (expected 0% to 100%, or 0 to 1, did you mean 25%?)',
  )
})
