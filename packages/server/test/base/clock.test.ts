import { describe, expect, test } from 'vitest'
import { dayOf, monthOf, systemClock } from '../../src/base/clock.ts'

describe('day and month', () => {
  test('change at midnight UTC, whatever the time zone of the machine', () => {
    const midnight = Date.UTC(2026, 2, 1)
    expect([dayOf(midnight - 1), monthOf(midnight - 1)]).toEqual(['2026-02-28', '2026-02'])
    expect([dayOf(midnight), monthOf(midnight)]).toEqual(['2026-03-01', '2026-03'])
  })
})

describe('the clock of the system', () => {
  test('returns Unix milliseconds', () => {
    const before = Date.now()
    const now = systemClock.now()
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
  })
})
