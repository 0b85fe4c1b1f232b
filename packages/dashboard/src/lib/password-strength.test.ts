// cspell:ignore Qwertz
import { expect, it } from 'vitest'
import { passwordStrength } from './password-strength.ts'

it.each([
  ['password12', 'weak'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['Qwertz123456', 'weak'],
  ['kT9#mVq2xL', 'fair'],
  ['correct horse battery', 'strong'],
] as const)('calls %j %s', (password, strength) => {
  expect(passwordStrength(password)).toBe(strength)
})
