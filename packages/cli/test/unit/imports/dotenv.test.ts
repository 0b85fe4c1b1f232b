import { parse } from 'dotenv'
import { describe, expect, test } from 'vitest'
import { dotenv as write } from '../../../src/formats/dotenv.ts'
import { dotenv } from '../../../src/imports/dotenv.ts'
import { readImport } from '../../../src/imports/index.ts'
import { seeded } from '../../../../server/testkit/random.ts'
import { nasty } from '../../nasty.ts'

function read(text: string): unknown {
  return dotenv(text, '.env', () => {}).map(({ name, value }) => [name, value])
}

describe('reading dotenv', () => {
  test('reads what pull writes', () => {
    expect(read(write(nasty))).toEqual(Object.entries(nasty))
  })

  test('reads comments, export, spaces, colons, quotes and Windows lines', () => {
    const text = [
      '# comment',
      '',
      'A=1 # comment',
      '  export B = two words ',
      'C: yaml',
      `D='single # no comment' # comment`,
      'E="double\\nline"',
      'F=`back\nticks`',
      'G=',
      `H='"in quotes"'`,
    ].join('\r\n')
    expect(read(text)).toEqual([
      ['A', '1'],
      ['B', 'two words'],
      ['C', 'yaml'],
      ['D', 'single # no comment'],
      ['E', 'double\nline'],
      ['F', 'back\nticks'],
      ['G', ''],
      ['H', '"in quotes"'],
    ])
  })

  test('reads every assignment of a repeated name', () => {
    expect(read('A=1\nB=2\nA=3')).toEqual([
      ['A', '1'],
      ['B', '2'],
      ['A', '3'],
    ])
  })

  test.each([
    ['A=1\nnonsense secret', ' 2', 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
    ['A=1\n\n# fine\nif true; then\nB=2', ' 4', 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
    [
      'A="open secret\nB=2',
      ' 1',
      'The value of A begins with a quote that is not closed. Close it, or quote the value differently',
    ],
    [
      `A=1\nB='open\nsecret\n`,
      ' 2',
      'The value of B begins with a quote that is not closed. Close it, or quote the value differently',
    ],
    [
      `A='open\nsecret=x#y\n`,
      ' 1',
      'The value of A begins with a quote that is not closed. Close it, or quote the value differently',
    ],
    [
      'A="quoted" secret',
      ' 1',
      'The value of A begins with a quote that is not closed. Close it, or quote the value differently',
    ],
    ['A=\n"secret"', ' 2', 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
    [
      'A 1\nB=1\nC 1\r\nD="x',
      's 1, 3',
      'Expected NAME=value, with a name of ASCII letters, digits, _, . or -; line 4: The value of D begins with a quote that is not closed. Close it, or quote the value differently',
    ],
    [
      'A=1\n' + 'hush\n'.repeat(20),
      's 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 10 more',
      'Expected NAME=value, with a name of ASCII letters, digits, _, . or -',
    ],
    ['A:\n  B: secret', ' 1', 'Expected NAME=value, with a name of ASCII letters, digits, _, . or -'],
  ])('refuses %j, naming line%s and no value', (text, line, what) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_IMPORT', message: `.env, line${line}: ${what}` }),
    )
  })

  test('says what it changed and which names are repeated, with lines and without values', () => {
    const { entries, notes } = readImport('A=hush \nB="x\r\nhush"\nA=last\nC=1\nA=hush\nC=2', '.env', 'dotenv')
    expect(entries.map(({ name, value }) => [name, value])).toEqual([
      ['A', 'hush'],
      ['B', 'x\nhush'],
      ['C', '2'],
    ])
    expect(notes).toEqual([
      '.env, line 1: The white space around the value of A was left out. Quote the value to keep it.',
      '.env, line 2: The carriage returns in the value of B were left out. Write them as \\r between double quotes to keep them.',
      'These names appear more than once, and the last value is used: A (lines 1, 4 and 6), C (lines 5 and 7).',
    ])
  })

  test.each(['', '\n\r\n', '# nothing\n  # else'])('refuses a file without variables: %j', (text) => {
    const message = '.env: The file has no variables, so nothing was written; check the program that wrote it'
    expect(() => readImport(text, '.env', 'dotenv')).toThrow(expect.objectContaining({ message, status: 6 }))
  })

  test('agrees with the npm package on every random text that it takes', () => {
    const random = seeded(11)
    const pieces = [
      ...Array.from(`'"\`\\\n\n\n #=: ab`),
      '\r\n',
      'A=',
      'B: ',
      'export C=',
      '\nD=',
      "'x'",
      '"y\\n"',
      '\u2028',
      '# c\n',
    ]
    const text = (): string =>
      Array.from({ length: Math.floor(random() * 16) }, () => pieces[Math.floor(random() * pieces.length)]).join('')
    let taken = 0
    for (let round = 0; round < 50_000; round++) {
      const source = text()
      let entries: unknown
      try {
        entries = Object.fromEntries(read(source) as [string, string][])
      } catch {
        continue
      }
      taken++
      expect(entries, JSON.stringify(source)).toEqual(parse(source))
    }
    expect(taken).toBeGreaterThan(5_000)
  })
})
