import { expect, test } from 'vitest'
import { newCode, newId, newToken } from '../../src/base/random.ts'

test.each(['svc_at_', 'svc_rt_', 'svc_dc_'] as const)('a token %s has 32 random bytes after its prefix', (prefix) => {
  const tokens = Array.from({ length: 500 }, () => newToken(prefix))
  for (const token of tokens) {
    expect(token).toMatch(new RegExp(`^${prefix}[A-Za-z0-9_-]{43}$`))
    expect(Buffer.from(token.slice(prefix.length), 'base64url')).toHaveLength(32)
  }
  expect(new Set(tokens).size).toBe(tokens.length)
})

test('an id shows its kind and is unique', () => {
  const ids = Array.from({ length: 500 }, () => newId('prj'))
  for (const id of ids) expect(id).toMatch(/^prj_[A-Za-z0-9_-]{20}$/)
  expect(new Set(ids).size).toBe(ids.length)
})

test('a code uses every letter of its alphabet about equally often', () => {
  const alphabet = 'ABCDEFGHJK'
  const code = newCode(alphabet, 100_000)
  expect(code).toHaveLength(100_000)
  const counts = Map.groupBy(code, (letter) => letter)
  expect([...counts.keys()].toSorted().join('')).toBe(alphabet)
  // 10,000 each with a standard deviation of 95: a deviation of eight times that happens less than once in 10^13 runs.
  for (const letters of counts.values()) expect(Math.abs(letters.length - 10_000)).toBeLessThan(760)
})
