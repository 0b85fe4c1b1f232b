import { expect, test } from 'vitest'
import common from '@zxcvbn-ts/language-common/src/passwords.json' with { type: 'json' }
import { canBeCommon, isCommonPassword } from '../../src/rules/index.ts'

const all = new Set(common)
const minCharacters = 10
const loaded = new Set(common.filter((each) => canBeCommon(each, minCharacters)))

test.each([
  ['password12', true],
  ['Password12', true],
  ['!!manchester!!', true],
  ['1234567890', true],
  ['password1234567', false],
  ['correct horse battery', false],
  ['', false],
])('%s is common: %s', (password, expected) => {
  expect(isCommonPassword(password, (text) => all.has(text))).toBe(expected)
})

test('the part of the list that can matter decides as the whole list does', () => {
  const passwords = common
    .filter((_, at) => at % 8 === 0)
    .flatMap((each) => [each, `${each}1`, `12${each}!`, `${each}123456`, `1234567${each}`])
    .filter(({ length }) => length >= minCharacters)
  const decided = passwords.filter(
    (each) => isCommonPassword(each, (text) => all.has(text)) !== isCommonPassword(each, (text) => loaded.has(text)),
  )
  expect(decided).toEqual([])
  expect(passwords.length).toBeGreaterThan(10_000)
  expect(loaded.size).toBeLessThan(0.8 * all.size)
})
