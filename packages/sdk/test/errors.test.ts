import { expect, test } from 'vitest'
import { RollkeyError } from '../src/errors.ts'

test('an error of another copy of the package is a RollkeyError, but of no class below', () => {
  class SpecialError extends RollkeyError {}
  const foreign: unknown = Object.assign(new Error('none'), { name: 'RollkeyError', code: 'VARIABLE_NOT_FOUND' })
  expect(foreign instanceof RollkeyError).toBe(true)
  expect(foreign instanceof SpecialError).toBe(false)
  expect(new SpecialError('CLOSED', '') instanceof SpecialError).toBe(true)
  expect(new SpecialError('CLOSED', '') instanceof RollkeyError).toBe(true)
  for (const other of [new Error('none'), null, undefined, 'RollkeyError'])
    expect(other instanceof RollkeyError).toBe(false)
})
