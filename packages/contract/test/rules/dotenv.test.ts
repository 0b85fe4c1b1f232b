import { DotenvError, parseDotenv, quoteForDotenv } from '@rollkey/contract/rules'
import { describe, expect, test } from 'vitest'

/** Returns the values by name. The last one of a name counts. */
function read(text: string): Record<string, string> {
  return Object.fromEntries(parseDotenv(text).map(({ name, value }) => [name, value]))
}

describe('parseDotenv', () => {
  test.each([
    ['A=1\nB=2', { A: '1', B: '2' }],
    ['\r\n# none\r\n  export A = b c  # comment\r\n', { A: 'b c' }],
    ['A=', { A: '' }],
    ['A: 1', { A: '1' }],
    [`A='it\\n is # raw'`, { A: 'it\\n is # raw' }],
    ['A="a\\nb"', { A: 'a\nb' }],
    ['A="a\nb"\nB=`c\nd`', { A: 'a\nb', B: 'c\nd' }],
    ['A=a=b==', { A: 'a=b==' }],
    ['A=""x"', { A: '"x' }],
    ['__proto__=1', Object.fromEntries([['__proto__', '1']])],
  ])('reads %j', (text, values) => {
    expect(read(text)).toEqual(values)
  })

  test('returns each assignment with its line, also those of a repeated name', () => {
    expect(parseDotenv('# comment\nA=1\n\nB="\n\n"\nA=2')).toEqual([
      { name: 'A', value: '1', line: 2 },
      { name: 'B', value: '\n\n', line: 4 },
      { name: 'A', value: '2', line: 7 },
    ])
  })

  test.each([
    ['A=1\nÖ=secret', 2, 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
    ['A=1\nsecret', 2, 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
    [
      'A=1\n\nB="secret',
      3,
      'The value of B begins with a quote that is not closed. Close it, or quote the value differently',
    ],
  ])('refuses %j, naming line %i and no value', (text, line, message) => {
    expect(() => parseDotenv(text)).toThrow(expect.objectContaining({ line, message }))
    expect(() => parseDotenv(text)).toThrow(DotenvError)
  })
})

describe('quoteForDotenv', () => {
  test.each([
    '',
    'a',
    'two words',
    "it's",
    `"both" 'quotes'`,
    'line\nbreak',
    'return\r',
    '$HOME',
    '\\',
    ' padded ',
    '#',
  ])('quotes %j so that it is read back', (value) => {
    expect(read(`A=${quoteForDotenv(value)}`)).toEqual({ A: value })
  })

  test('has no text for a value that no quotes can hold', () => {
    expect(quoteForDotenv('\'"`\n')).toBeUndefined()
  })
})
