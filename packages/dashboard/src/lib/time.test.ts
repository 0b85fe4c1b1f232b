import { expect, it } from 'vitest'
import { durationText, relativeTime, shortPastTime } from './time.ts'

const now = Date.UTC(2026, 0, 1)

it.each([
  [0, 'now'],
  [-59_000, 'now'],
  [30_000, 'this minute'],
  [-60_000, '1 minute ago'],
  [-5 * 60_000, '5 minutes ago'],
  [2 * 3_600_000, 'in 2 hours'],
  [-86_400_000, '24 hours ago'],
  [37 * 3_600_000, 'in 37 hours'],
  [47.9 * 3_600_000, 'in 47 hours'],
  [48 * 3_600_000, 'in 2 days'],
  [2.9 * 86_400_000, 'in 2 days'],
  [30 * 86_400_000 - 5_000, 'in 30 days'],
  [1.9 * 3_600_000, 'in 1 hour'],
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

it.each([
  [59_000, '< 1 min'],
  [37.5 * 3_600_000, '37 hr'],
  [2.9 * 86_400_000, '2 days'],
])('a duration of %i ms is %s', (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text)
})
