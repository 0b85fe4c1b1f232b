import { parseEnv } from 'node:util'
import { parse } from 'dotenv'
import { describe, expect, test } from 'vitest'
import { dotenv } from '../../../src/formats/dotenv.ts'
import { named, nastier, nasty, nastyNames, randomTexts } from '../../nasty.ts'

/** Values that a dotenv file can hold. The others must be refused by name. */
function writable(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter((entry) => isWritten(...entry)))
}

function isWritten(name: string, value: string): boolean {
  try {
    dotenv({ [name]: value })
    return true
  } catch {
    return false
  }
}

describe('the dotenv format', () => {
  test('returns nasty values with both parsers of the npm package', () => {
    const text = dotenv(nasty)
    expect(parse(text)).toEqual(nasty)
    expect(parse(text, { fast: true })).toEqual(nasty)
  })

  test('returns them with Node, except carriage returns', () => {
    expect(parseEnv(dotenv(nasty))).toEqual(nasty)
  })

  test('returns carriage returns', () => {
    const { CARRIAGE_RETURN, WINDOWS } = nastier
    const variables = { CARRIAGE_RETURN, WINDOWS } as Record<string, string>
    expect(parse(dotenv(variables))).toEqual(variables)
  })

  test('returns all accepted random values, whatever else is in the file', () => {
    const variables = named(randomTexts(1, 20_000))
    const written = writable(variables)
    expect(Object.keys(written).length).toBeGreaterThan(15_000)
    const text = dotenv(written)
    expect(parse(text)).toEqual(written)
    expect(parse(text, { fast: true })).toEqual(written)
  })

  test('does not quote harmless values', () => {
    expect(dotenv({ URL: 'https://a.example/x:1', EMPTY: '', WORDS: 'a b' })).toBe(
      "URL=https://a.example/x:1\nEMPTY=\nWORDS='a b'\n",
    )
  })

  test('writes an apostrophe in a form for every reader of such files', () => {
    expect(dotenv({ A: "it's", B: "it's $5", C: 'a "b"' })).toBe('A="it\'s"\nB=`it\'s $5`\nC=\'a "b"\'\n')
  })

  test('refuses all values that it cannot hold, by name', () => {
    const { CARRIAGE_RETURN: _, WINDOWS: __, ...refused } = nastier
    expect(() => dotenv({ FINE: 'x', ...refused })).toThrow(
      expect.objectContaining({
        line: `INVALID_VALUE: A dotenv file cannot hold the value of: ${Object.keys(refused).join(', ')}; try: rollkey pull --format json`,
      }),
    )
  })

  test('refuses NUL, which no environment can hold', () => {
    expect(() => dotenv({ A: 'a\0b', B: 'b' })).toThrow('An environment variable cannot contain the character NUL: A')
  })

  test('refuses names that are not valid for an environment, and lists at most ten', () => {
    const variables = Object.fromEntries([...nastyNames, 'GOOD'].map((name) => [name, 'x']))
    expect(() => dotenv(variables)).toThrow(
      expect.objectContaining({
        code: 'INVALID_NAME',
        message: `These names are not valid for environment variables: ${nastyNames
          .filter((name) => !['constructor', 'no', '__proto__'].includes(name))
          .slice(0, 10)
          .join(', ')} and 2 more`,
      }),
    )
  })
})
