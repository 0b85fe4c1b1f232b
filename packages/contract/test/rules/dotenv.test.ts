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
      { name: 'A', value: '1', line: 2, notices: [] },
      { name: 'B', value: '\n\n', line: 4, notices: [] },
      { name: 'A', value: '2', line: 7, notices: [] },
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

describe('what parseDotenv would cut', () => {
  const cut = (name: string) =>
    `The value of ${name} would end at a # without a space before it. Quote the value, or put a space before the comment`

  test.each([
    ['PASSWORD=p@ss#word', 1, cut('PASSWORD')],
    ['A=1\n\nCOLOR=#FF0000', 3, cut('COLOR')],
    ['export COLOR = x#', 1, cut('COLOR')],
    ['URL: https://example.com/#top', 1, cut('URL')],
    [`A='it'#s'`, 1, cut('A')],
    ['A=one # two\nB=a b#c # d', 2, cut('B')],
    ['A=1\nB=x\0y', 2, 'Expected text without the character NUL. If the file is UTF-16, write it as UTF-8'],
    ['A\0=\x001\0', 1, 'Expected text without the character NUL. If the file is UTF-16, write it as UTF-8'],
    ['A=1\nexport B', 2, 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
    ['A=x\ry', 2, 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
  ])('is an error: %j', (text, line, message) => {
    expect(() => parseDotenv(text)).toThrow(expect.objectContaining({ line, message }))
  })

  test.each(['A=1 # one', 'A=1\t#', 'A= # none', 'A: # none', `A='#'`, 'A="a#b" # c', '#A=b#c', '  # A=b', 'A=`#`'])(
    'allows a comment after white space: %j',
    (text) => expect(parseDotenv(text).flatMap(({ notices }) => notices)).toEqual([]),
  )

  const trimmed = 'The white space around the value of A was left out. Quote the value to keep it'
  const returns =
    'The carriage returns in the value of A were left out. Write them as \\r between double quotes to keep them'
  const hidden = 'The value of A has 3 lines, and one looks like another assignment. Check where its quote is closed'

  test.each([
    ['A=secret ', trimmed],
    ['A=secret\t\r\nB=1', trimmed],
    ['A= secret', trimmed],
    ['A=\u00a0secret', trimmed],
    ['A=  ', trimmed],
    ['A=secret\u2003', trimmed],
    ['A="one\r\ntwo"', returns],
    [`A='one\rtwo'`, returns],
    ['A="secret\nB=2\nC="', hidden],
    ["A='x\n  export B=2\n'", hidden],
  ])('is a notice without a value: %j', (text, notice) => {
    expect(parseDotenv(text)[0]?.notices).toEqual([notice])
  })

  test.each([
    '\ufeffA=1\nB=2',
    'A=1\r\nB=2\r\n',
    'A = 1',
    'A: 1',
    'A="1" ',
    'A=" x "',
    'export A=1',
    'A="-----BEGIN KEY-----\nabcd=\nabc==\n-----END KEY-----\n"',
    'A=',
    'A="a\nb"',
  ])('is nothing: %j', (text) => {
    expect(parseDotenv(text).flatMap(({ notices }) => notices)).toEqual([])
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
