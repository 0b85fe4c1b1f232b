import { expect, it } from 'vitest'
import { relativeTime, shortPastTime } from './time.ts'

const now = Date.UTC(2026, 0, 1)

it.each([
  [0, 'now'],
  [-59_000, 'now'],
  [30_000, 'this minute'],
  [-60_000, '1 minute ago'],
  [-5 * 60_000, '5 minutes ago'],
  [2 * 3_600_000, 'in 2 hours'],
  [-86_400_000, 'yesterday'],
])('%i ms from now is %j', (distance, text) => {
  expect(relativeTime(now + distance, now)).toBe(text)
})

it.each([
  [0, 'now'],
  [-5, 'now'],
  [120_000, '2m ago'],
  [3 * 3_600_000, '3h ago'],
])('says of a past of %i ms in little room: %s', (agoMs, text) => {
  expect(shortPastTime(1e12 - agoMs, 1e12)).toBe(text)
})
