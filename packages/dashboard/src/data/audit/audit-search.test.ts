import { afterEach, expect, it, vi } from 'vitest'
import { auditFilter, auditSearch, countFilters, firstOfLatest } from './audit-search.ts'

afterEach(() => vi.unstubAllEnvs())

it('takes from an address what it knows', () => {
  expect(auditSearch({ person: 'u1', stage: '', from: 1, other: 'x' })).toEqual({ person: 'u1' })
})

it('keeps the open entry in the address, which filters nothing', () => {
  expect(auditSearch({ entry: '12' })).toEqual({ entry: '12' })
  expect(countFilters({ entry: '12' })).toBe(0)
  expect(countFilters({ entry: '12', person: 'u1' })).toBe(1)
})

it('asks for whole days of the time zone of the viewer, also where one has 23 hours', () => {
  vi.stubEnv('TZ', 'Europe/Berlin')
  const { fromMs, toMs } = auditFilter({ from: '2026-03-29', to: '2026-03-29' })
  expect(fromMs).toBe(Date.parse('2026-03-29T00:00+01:00'))
  expect(toMs).toBe(Date.parse('2026-03-30T00:00+02:00'))
})

it('asks for everything without a search', () => {
  expect(JSON.stringify(auditFilter({}))).toBe('{}')
})

it.each([
  [1, '2026-03-30'],
  [7, '2026-03-24'],
])('the latest %i days of the time zone of the viewer begin on %s', (days, first) => {
  vi.stubEnv('TZ', 'Europe/Berlin')
  expect(firstOfLatest(days, Date.parse('2026-03-30T00:30+02:00'))).toBe(first)
})
