import { describe, expect, test } from 'vitest'
import { RateLimit } from '../../src/http/limits/rate-limit.ts'

const startMs = 1_795_000_000_000

function limit(quota: number, windowSec = 60): RateLimit {
  return new RateLimit({ name: 'requests', quota, windowSec })
}

/** Returns how many of these simultaneous requests are allowed. */
function allowedOf(requests: number, of: RateLimit, nowMs: number, key = 'a'): number {
  return Array.from({ length: requests }, () => of.take(key, nowMs)).filter(({ isAllowed }) => isAllowed).length
}

describe('a rate limit', () => {
  test.each([1, 7, 600, 12_000])('of %i per minute allows that many at once, and not one more', (quota) => {
    expect(allowedOf(quota + 10, limit(quota), startMs)).toBe(quota)
  })

  test.each([1, 7, 11, 600, 12_000])('of %i per minute allows that many in each following minute', (quota) => {
    const some = limit(quota)
    allowedOf(quota, some, startMs)
    const stepMs = 125
    let allowed = 0
    for (let ms = stepMs; ms <= 3 * 60_000; ms += stepMs) allowed += allowedOf(60, some, startMs + ms)
    expect(allowed).toBe(3 * quota)
  })

  test('allows one request again at the millisecond that it names, and not before', () => {
    const some = limit(7, 20)
    allowedOf(7, some, startMs)
    expect(some.take('a', startMs)).toEqual({ isAllowed: false, remaining: 0, spreadSec: 3 })
    expect(allowedOf(1, some, startMs + 2_857)).toBe(0)
    expect(allowedOf(2, some, startMs + 2_858)).toBe(1)
  })

  test('is full again after its window, and no fuller after a year', () => {
    const some = limit(10)
    allowedOf(10, some, startMs)
    expect(allowedOf(20, some, startMs + 60_000)).toBe(10)
    expect(allowedOf(20, some, startMs + 366 * 86_400_000)).toBe(10)
  })

  test('counts each key separately', () => {
    const some = limit(3)
    expect(allowedOf(9, some, startMs, 'a')).toBe(3)
    expect(allowedOf(2, some, startMs, 'b')).toBe(2)
    expect([some.isExhausted('a', startMs), some.isExhausted('b', startMs), some.isExhausted('c', startMs)]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('counts nothing when its state is only read', () => {
    const some = limit(1)
    expect(Array.from({ length: 5 }, () => some.isExhausted('a', startMs))).not.toContain(true)
    expect(allowedOf(2, some, startMs)).toBe(1)
  })

  test('neither adds nor removes credit when the clock is set back, and continues from there', () => {
    const some = limit(60)
    expect(allowedOf(40, some, startMs)).toBe(40)
    const earlierMs = startMs - 3_600_000
    expect(allowedOf(40, some, earlierMs)).toBe(20)
    expect(allowedOf(9, some, earlierMs + 5_000)).toBe(5)
  })

  test('reports the remaining requests and the seconds over which to spread them', () => {
    const some = limit(600)
    const headers = some.headersOf(some.take('a', startMs))
    expect(headers).toEqual(['ratelimit-policy', '"requests";q=600;w=60', 'ratelimit', '"requests";r=599;t=60'])
    allowedOf(598, some, startMs)
    expect(some.headersOf(some.take('a', startMs)).at(-1)).toBe('"requests";r=0;t=1')
  })

  test('forgets the least recently used keys, so that no one fills the memory with keys', () => {
    const some = limit(1)
    allowedOf(1, some, startMs, 'first')
    for (let key = 0; key < 60_000; key++) some.take(`key ${key}`, startMs)
    expect(allowedOf(1, some, startMs, 'first')).toBe(1)
    expect(allowedOf(1, some, startMs, 'key 59999')).toBe(0)
  })
})
