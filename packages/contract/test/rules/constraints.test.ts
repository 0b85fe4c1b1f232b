import { brokenConstraint, problemOfConstraint, type Constraint } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'

const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----'
const encrypted =
  '-----BEGIN RSA PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\n\r\nMC4C\r\nAQ==\r\n-----END RSA PRIVATE KEY-----\r\n'

test.each<[Constraint, string[], string[]]>([
  [{ pattern: '^sk_' }, ['sk_live', 'sk_'], ['pk_live', ' sk_', '']],
  [{ minLength: 2 }, ['ab', '😀😀'], ['', '😀']],
  [{ maxLength: 2 }, ['', '😀😀'], ['abc']],
  [{ minimum: 1 }, ['1', '1e3', '1.5'], ['0', '-1', '', 'one', '0x10', 'Infinity', ' 1']],
  [{ maximum: 10.5 }, ['10.5', '-3'], ['10.51', 'NaN']],
  [{ enum: ['dev', ''] }, ['dev', ''], ['Dev', 'dev ']],
  [
    { format: 'uri' },
    ['https://a.example/b?c#d', 'postgres://u:p@db/app', 'mailto:a@b.example'],
    ['a.example', '//a', 'http:', 'http://a b', '1a:b'],
  ],
  [
    { format: 'email' },
    ['ada@example.com', 'a.b+c@localhost'],
    ['ada', '@a.example', 'a..b@a.example', 'a@', 'a b@a.example', '.a@a.example'],
  ],
  [{ format: 'port' }, ['1', '65535'], ['0', '65536', '080', '80a', '']],
  [
    { format: 'hostname' },
    ['localhost', 'db-1.a.example', '10.0.0.1'],
    ['', 'a..b', '-a', 'a_b', 'a:80', 'a'.repeat(64)],
  ],
  [{ format: 'uuid' }, ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567e89b12d3a456426614174000', '']],
  [
    { format: 'pem' },
    [key, encrypted, `${key}\n${key}\n`],
    ['', 'MC4CAQ==', key.replace('END', 'BEGIN'), key.slice(0, -20), key.replace('MC4', '!'), `${key}\nrest`],
  ],
  [{ format: 'base64' }, ['QQ==', 'QUJD'], ['', 'QQ', 'QQ=', 'Q-==', 'QQ==\n']],
  [{ minLength: 3, pattern: '^[a-z]+$' }, ['abc'], ['ab', 'ABC']],
])('%j takes %j and not %j', (constraint, taken, refused) => {
  expect(problemOfConstraint(constraint)).toBeUndefined()
  expect(taken.filter((value) => brokenConstraint(constraint, value))).toEqual([])
  expect(refused.filter((value) => !brokenConstraint(constraint, value))).toEqual([])
})

test('a value that is too long for a pattern is said to be', () => {
  expect(brokenConstraint({ pattern: 'a' }, 'a'.repeat(2_049))?.requirement).toBe(
    'have at most 2048 characters, as every value with a pattern',
  )
})

test('what a value must be is said without the value', () => {
  const canary = 'CANARY'
  const requirements = [
    { pattern: '^a$' },
    { minLength: 10 },
    { maxLength: 2 },
    { minimum: 1 },
    { maximum: 1 },
    { enum: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    { format: 'port' } as const,
  ].map((constraint) => brokenConstraint(constraint, canary)?.requirement)
  expect(requirements).toEqual([
    'match the pattern ^a$',
    'have at least 10 characters (minLength)',
    'have at most 2 characters (maxLength)',
    'be a number of at least 1 (minimum)',
    'be a number of at most 1 (maximum)',
    'be one of "a", "b", "c", "d", "e" or 2 others',
    'be a port from 1 to 65535 (format port)',
  ])
})

test.each<[Constraint, string, string]>([
  [{}, '', 'must state at least one of its parts'],
  [{ minLength: 3, maxLength: 2 }, 'maxLength', 'must be at least minLength'],
  [{ minimum: 3, maximum: 2 }, 'maximum', 'must be at least minimum'],
  [{ pattern: '(?=a)' }, 'pattern', 'has lookaround, a name or flags in a group: only (…) and (?:…) are supported'],
])('%j is not a constraint', (constraint, path, message) => {
  expect(problemOfConstraint(constraint)).toEqual({ path: path === '' ? [] : [path], message })
})

test('the longest values take no long time', () => {
  const long = [
    'a'.repeat(65_536),
    'a.'.repeat(32_768),
    `a:${'b'.repeat(65_000)}\n`,
    '-----BEGIN A-----\n'.repeat(3_000),
    ' '.repeat(65_536),
  ]
  const formats = ['uri', 'email', 'port', 'hostname', 'uuid', 'pem', 'base64'] as const
  const taken = formats.flatMap((format) =>
    long.filter((value) => !brokenConstraint({ format }, value)).map(() => format),
  )
  expect(taken).toEqual(['base64'])
})
