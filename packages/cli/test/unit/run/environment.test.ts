import { describe, expect, test } from 'vitest'
import { countChanges, environmentOf } from '../../../src/run/environment.ts'

const careful = { allowsReserved: false }

describe('the environment of a command', () => {
  test('is what this process has and what the stage has, which wins', () => {
    expect(environmentOf({ A: 'inherited', B: 'b', PATH: '/bin' }, { A: 'of the stage', C: '' }, careful)).toEqual({
      A: 'of the stage',
      B: 'b',
      C: '',
      PATH: '/bin',
    })
  })

  test('has none of our credentials, but a token that is a variable', () => {
    const parent = { ROLLKEY_TOKEN: 'ours', ROLLKEY_TOKEN_FILE: '/ours', ROLLKEY_STAGE: 'dev' }
    expect(environmentOf(parent, {}, careful)).toEqual({ ROLLKEY_STAGE: 'dev' })
    expect(environmentOf(parent, { ROLLKEY_TOKEN: 'of the stage' }, careful)).toMatchObject({
      ROLLKEY_TOKEN: 'of the stage',
    })
  })

  test('has no name that decides what code runs, unless allowed', () => {
    const reserved = {
      PATH: 'x',
      LD_PRELOAD: 'x',
      LD_LIBRARY_PATH: 'x',
      DYLD_INSERT_LIBRARIES: 'x',
      NODE_OPTIONS: 'x',
      BASH_ENV: 'x',
      GIT_SSH_COMMAND: 'x',
      _JAVA_OPTIONS: 'x',
    }
    const alike = { MY_PATH: 'x', PATHS: 'x', OLD_LD_PRELOAD: 'x', LD: 'x', NODE_ENV: 'x' }
    expect(() => environmentOf({}, { ...alike, ...reserved }, careful)).toThrow(
      expect.objectContaining({
        code: 'RESERVED_NAME',
        message: `The stage would decide what code runs here by: ${Object.keys(reserved).join(', ')}`,
        command: 'rollkey run --allow-reserved -- …',
      }),
    )
    expect(environmentOf({}, alike, careful)).toEqual(alike)
    expect(environmentOf({ PATH: '/bin' }, reserved, { allowsReserved: true })).toEqual(reserved)
  })

  test('refuses names and values that it cannot hold', () => {
    expect(() => environmentOf({}, { 'a-b': 'x', 'c.d': 'x', OK: 'x' }, careful)).toThrow(
      'An environment variable cannot have such a name: a-b, c.d',
    )
    expect(() => environmentOf({}, { A: '\0' }, careful)).toThrow('cannot hold the character NUL: A')
  })
})

test('changes are names that are new, gone or of another value', () => {
  expect(countChanges({ A: '1', B: '2' }, { B: '2', A: '1' })).toBe(0)
  expect(countChanges({ A: '1', B: '2', C: '' }, { A: '2', B: '2', D: '' })).toBe(3)
})
