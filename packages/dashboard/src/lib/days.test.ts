import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { byDay, dayHeading, startOfDay } from './days.ts'

beforeEach(() => vi.stubEnv('TZ', 'Europe/Berlin'))
afterEach(() => vi.unstubAllEnvs())

const now = Date.parse('2026-11-22T00:30+01:00')

it.each([
  ['2026-11-22T00:00+01:00', 'Today'],
  ['2026-11-22T00:31+01:00', 'Today'],
  ['2026-11-21T23:59+01:00', 'Yesterday'],
  ['2026-11-21T00:00+01:00', 'Yesterday'],
  ['2026-11-20T23:59+01:00', /\b20\b/],
  ['2025-11-22T12:00+01:00', /2025/],
])('heads %s with %s', (time, heading) => {
  expect(dayHeading(Date.parse(time), now)).toMatch(heading)
})

it('counts days, not hours, where a day has 23 hours', () => {
  const noon = Date.parse('2026-03-29T12:00+02:00')
  expect(startOfDay(noon)).toBe(Date.parse('2026-03-29T00:00+01:00'))
  expect(startOfDay(noon, 1)).toBe(Date.parse('2026-03-30T00:00+02:00'))
})

it('groups by day and keeps the order', () => {
  const times = [now, now - 1, now - 31 * 60_000, now - 32 * 60_000]
  expect(byDay(times, (ms) => ms, now)).toEqual([
    { heading: 'Today', items: times.slice(0, 2) },
    { heading: 'Yesterday', items: times.slice(2) },
  ])
})
