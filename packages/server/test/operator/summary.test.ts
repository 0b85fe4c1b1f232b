/** Tests what a person at a terminal sees of the result of an operator command. */
import { styleText, stripVTControlCharacters } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { summaryOf } from '../../src/operator/summary.ts'

afterEach(() => vi.unstubAllEnvs())

function plain(result: unknown, columns?: number): string {
  return stripVTControlCharacters(summaryOf(result, columns))
}

test('fields are aligned, with their units and without names of the source', () => {
  const status = { serving: true, schema: 60, variables: 12_345, replica: { state: 'shipping', lagMs: 1_250 } }
  expect(plain(status)).toBe(`service running  yes
schema           60
variables        12,345
replica state    shipping
replica lag      1.3 s
`)
  expect(plain({ file: '/b/rollkey.age', bytes: 1_234_567, sealedFor: 'age1x' })).toBe(`file        /b/rollkey.age
size        1.2 MB
sealed for  age1x
`)
})

test.each([
  [{ expiresAtMs: 1_795_294_800_000 }, 'expires  2026-11-21 21:00:00 UTC\n'],
  [{ atMs: 0 }, 'at  1970-01-01 00:00:00 UTC\n'],
  [{ deletedAtMs: null }, 'deleted  -\n'],
  [{ oldestSeconds: 7_300 }, 'oldest  2 h\n'],
  [{ lagMs: 250 }, 'lag  250 ms\n'],
  [{ lagMs: 150_000 }, 'lag  2 min\n'],
  [{ lagMs: 200_000_000 }, 'lag  2 d\n'],
  [{ isSetAside: true }, 'set aside  yes\n'],
  [{ bytes: 0 }, 'size  0 bytes\n'],
  [{ bytes: 999 }, 'size  999 bytes\n'],
  [{ bytes: 45_600 }, 'size  45.6 kB\n'],
  [{ olderThanAYear: [] }, 'older than a year  none\n'],
  [{ olderThanAYear: ['acme/shop', 'acme/web'] }, 'older than a year  acme/shop, acme/web\n'],
  [{ dataKeys: { local: 3, 'aws-kms:Key/1': 2 } }, 'data keys local          3\ndata keys aws-kms:Key/1  2\n'],
])('%j is shown as %j', (result, text) => {
  expect(plain(result)).toBe(text)
})

test('a list is a table, which becomes records where a row is longer than a line', () => {
  const tokens = [
    { id: 'tok_1', name: 'web', readOnly: true },
    { id: 'tok_2', name: 'ci of the shop', readOnly: false, projectSlug: 'shop' },
  ]
  expect(plain({ month: '2026-11', tokens })).toBe(`month  2026-11

tokens
ID     NAME            READ ONLY  PROJECT
tok_1  web             yes        -
tok_2  ci of the shop  no         shop
`)
  expect(plain({ tokens }, 30)).toBe(`tokens
id         tok_1
name       web
read only  yes

id         tok_2
name       ci of the shop
read only  no
project    shop
`)
})

test('lists in a list follow the item that has them', () => {
  const outboxes = [
    { outbox: 'mail', waiting: 1, failed: [{ id: 'mai_1', reason: 'refused' }] },
    { outbox: 'billing', waiting: 0, failed: [] },
  ]
  expect(plain(outboxes)).toBe(`outbox   mail
waiting  1

failed
ID     REASON
mai_1  refused

outbox   billing
waiting  0
failed   none
`)
})

test('names and messages of others cannot control the terminal', () => {
  expect(plain({ name: 'a\u001b[2J\u202eb\nc' })).toBe('name  a\ufffd[2J\ufffdb c\n')
  expect(plain({ tokens: [{ name: '\u009b2J' }] })).toBe('tokens\nNAME\n\ufffd2J\n')
})

test('a verdict and problems have a color, unless NO_COLOR is set', () => {
  vi.stubEnv('FORCE_COLOR', '1')
  vi.stubEnv('NO_COLOR', undefined)
  expect(styleText('green', 'ok')).not.toBe('ok')
  expect(summaryOf({ good: true })).toBe(`${styleText('gray', 'result')}  ${styleText('green', 'ok')}\n`)
  expect(summaryOf({ good: false, problem: 'gone' })).toContain(styleText('red', 'gone'))
  vi.stubEnv('FORCE_COLOR', undefined)
  vi.stubEnv('NO_COLOR', '1')
  expect(summaryOf({ good: false })).toBe('result  failed\n')
})
