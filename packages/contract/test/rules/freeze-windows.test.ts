import { freezeEndMs, limits, problemOfFreezeWindows, type FreezeWindow } from '@rollkey/contract/rules'
import { describe, expect, test } from 'vitest'
import { changesOf, minuteMs, numbersFrom, shown, slowInstantOf } from './slow-clock.ts'

const isLong = process.env['ROLLKEY_TEST_LONG'] === '1'
const dayMs = 1_440 * minuteMs
const weekend: FreezeWindow = { zone: 'Europe/Berlin', from: 'fri 17:00', to: 'mon 08:00' }
const holidays: FreezeWindow = { zone: 'Europe/Berlin', from: '2026-12-18T12:00', to: '2027-01-04T08:00' }

/** Returns when the freeze around an instant ends, as text; undefined if there is none. */
function endOf(windows: readonly FreezeWindow[], at: string): string | undefined {
  const endMs = freezeEndMs(windows, Date.parse(at))
  return endMs === undefined ? undefined : new Date(endMs).toISOString()
}

describe('a freeze', () => {
  test('of every week begins with its first instant and ends before its last', () => {
    expect(endOf([weekend], '2026-11-27T15:59:59.999Z')).toBeUndefined()
    expect(endOf([weekend], '2026-11-27T16:00:00.000Z')).toBe('2026-11-30T07:00:00.000Z')
    expect(endOf([weekend], '2026-11-30T06:59:59.999Z')).toBe('2026-11-30T07:00:00.000Z')
    expect(endOf([weekend], '2026-11-30T07:00:00.000Z')).toBeUndefined()
  })

  test('that happens once is not repeated', () => {
    expect(endOf([holidays], '2026-12-24T00:00Z')).toBe('2027-01-04T07:00:00.000Z')
    expect(endOf([holidays], '2027-12-24T00:00Z')).toBeUndefined()
  })

  test('on one day, over midnight, and on all days but one', () => {
    const lunch = { zone: 'UTC', from: 'tue 12:00', to: 'tue 13:00' }
    const night = { zone: 'UTC', from: 'sun 22:00', to: 'mon 06:00' }
    const allButMonday = { zone: 'UTC', from: 'tue 00:00', to: 'mon 00:00' }
    expect(endOf([lunch], '2026-11-24T12:30Z')).toBe('2026-11-24T13:00:00.000Z')
    expect(endOf([lunch], '2026-11-25T12:30Z')).toBeUndefined()
    expect(endOf([night], '2026-11-29T23:00Z')).toBe('2026-11-30T06:00:00.000Z')
    expect(endOf([night], '2026-11-30T05:00Z')).toBe('2026-11-30T06:00:00.000Z')
    expect(endOf([allButMonday], '2026-11-24T00:00Z')).toBe('2026-11-30T00:00:00.000Z')
    expect(endOf([allButMonday], '2026-11-23T23:59Z')).toBeUndefined()
  })

  test('joins windows that overlap or touch', () => {
    const monday = { zone: 'Europe/Berlin', from: 'mon 08:00', to: 'mon 12:00' }
    expect(endOf([weekend, monday], '2026-11-28T00:00Z')).toBe('2026-11-30T11:00:00.000Z')
    // The holidays end on a Monday at 8:00, as the weekends do, so the Monday's window follows.
    expect(endOf([monday, holidays, weekend], '2026-12-20T00:00Z')).toBe('2027-01-04T11:00:00.000Z')
  })

  test('without a gap ends more than a year ahead', () => {
    const always = [
      { zone: 'UTC', from: 'mon 00:00', to: 'fri 00:00' },
      { zone: 'UTC', from: 'thu 00:00', to: 'mon 00:00' },
    ]
    const endMs = freezeEndMs(always, Date.parse('2026-11-23T09:00Z')) as number
    expect(endMs).toBeGreaterThan(Date.parse('2027-11-23T09:00Z'))
  })
})

describe('when clocks change', () => {
  const night = { zone: 'Europe/Berlin', from: 'sun 02:30', to: 'sun 03:30' }
  const beforeNight = { zone: 'Europe/Berlin', from: 'sat 12:00', to: 'sun 02:30' }

  test('a freeze over the change is an hour longer or shorter, and keeps its times', () => {
    expect(endOf([weekend], '2026-10-23T15:00:00Z')).toBe('2026-10-26T07:00:00.000Z')
    expect(endOf([weekend], '2027-03-26T16:00:00Z')).toBe('2027-03-29T06:00:00.000Z')
  })

  test('a start or an end that the clocks jump over is at the jump', () => {
    expect(endOf([night], '2027-03-28T00:59:59.999Z')).toBeUndefined()
    expect(endOf([night], '2027-03-28T01:00Z')).toBe('2027-03-28T01:30:00.000Z')
    expect(endOf([beforeNight], '2027-03-28T00:59Z')).toBe('2027-03-28T01:00:00.000Z')
  })

  test('a start that the clocks show twice is the first, and an end the last', () => {
    expect(endOf([night], '2026-10-25T00:29Z')).toBeUndefined()
    expect(endOf([night], '2026-10-25T00:30Z')).toBe('2026-10-25T02:30:00.000Z')
    expect(endOf([beforeNight], '2026-10-25T00:45Z')).toBe('2026-10-25T01:30:00.000Z')
  })

  test('a freeze that begins at midnight stands where clocks are set back over midnight', () => {
    // Cairo's clocks go from 24:00 on Thursday, 2026-10-29, back to 23:00.
    const friday = { zone: 'Africa/Cairo', from: 'thu 23:45', to: 'fri 12:00' }
    expect(endOf([friday], '2026-10-29T20:44Z')).toBeUndefined()
    expect(endOf([friday], '2026-10-29T20:45Z')).toBe('2026-10-30T10:00:00.000Z')
    expect(endOf([friday], '2026-10-29T21:15Z')).toBe('2026-10-30T10:00:00.000Z')
  })

  test('a window within the hour that the clocks jump over is empty', () => {
    const skipped = { zone: 'Europe/Berlin', from: 'sun 02:10', to: 'sun 02:50' }
    expect(endOf([skipped], '2027-03-28T01:00Z')).toBeUndefined()
    expect(endOf([skipped], '2027-03-28T00:59Z')).toBeUndefined()
  })
})

describe('against a slow reference', () => {
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const zones = Intl.supportedValuesOf('timeZone')

  /** Returns all times of a window in some weeks, from dates that are counted as text. */
  function slowSpans({ zone, from, to }: FreezeWindow, aroundMs: number): (readonly [number, number])[] {
    const spanOf = (start: string, end: string) =>
      [slowInstantOf(start, zone, 'first'), slowInstantOf(end, zone, 'last')] as const
    if (from.includes('T')) return [spanOf(from, to)]
    const spans: (readonly [number, number])[] = []
    for (let day = -9; day <= 2; day++) {
      const dateMs = Date.parse(`${shown(aroundMs, zone).slice(0, 10)}T00:00Z`) + day * dayMs
      const date = (ms: number) => new Date(ms).toISOString().slice(0, 10)
      if (days[(new Date(dateMs).getUTCDay() + 6) % 7] !== from.slice(0, 3)) continue
      let endMs = dateMs
      while (days[(new Date(endMs).getUTCDay() + 6) % 7] !== to.slice(0, 3)) endMs += dayMs
      if (endMs === dateMs && to.slice(4) <= from.slice(4)) endMs += 7 * dayMs
      spans.push(spanOf(`${date(dateMs)}T${from.slice(4)}`, `${date(endMs)}T${to.slice(4)}`))
    }
    return spans
  }

  test('freezes of any window, zone and year hold exactly the instants of their clocks', () => {
    const next = numbersFrom(17)
    const time = () => `${String(next(24)).padStart(2, '0')}:${String(next(60)).padStart(2, '0')}`
    const wrong: string[] = []
    let frozen = 0
    for (let round = 0; round < (isLong ? 3_000 : 60); round++) {
      const zone = zones[next(zones.length)] as string
      const year = 1972 + next(120)
      const changes = changesOf(zone, year)
      // Most instants are near a change, where the difficulties are.
      const atMs =
        changes.length > 0 && next(4) > 0
          ? (changes[next(changes.length)] as number) + (next(2 * 1_440) - 1_440) * minuteMs
          : Date.UTC(year, 0) + next(365 * 1_440) * minuteMs
      const window = { zone, from: `${days[next(7)]} ${time()}`, to: `${days[next(7)]} ${time()}` }
      if (window.from === window.to) continue
      const span = slowSpans(window, atMs).find(([startMs, endMs]) => startMs <= atMs && atMs < endMs)
      if (span) frozen++
      const endMs = freezeEndMs([window], atMs)
      if (endMs !== span?.[1]) wrong.push(`${JSON.stringify(window)} at ${new Date(atMs).toISOString()}: ${endMs}`)
    }
    expect(wrong).toEqual([])
    expect(frozen).toBeGreaterThan(15)
  }, 600_000)
})

describe('a problem', () => {
  test.each<[string, unknown, (string | number)[]]>([
    ['no list', {}, []],
    ['too many', Array.from({ length: limits.freezeWindows + 1 }, () => weekend), []],
    ['no object', ['fri 17:00'], [0]],
    ['an unknown zone', [{ ...weekend, zone: 'Berlin' }], [0, 'zone']],
    ['an offset', [{ ...weekend, zone: '+01:00' }], [0, 'zone']],
    ['a missing start', [{ zone: 'UTC', to: 'mon 08:00' }], [0, 'from']],
    ['an unknown day', [{ ...weekend, from: 'fre 17:00' }], [0, 'from']],
    ['an unknown time', [{ ...weekend, to: 'mon 24:00' }], [0, 'to']],
    ['a second space', [{ ...weekend, to: 'mon  8:00' }], [0, 'to']],
    ['a date that does not exist', [{ ...holidays, to: '2027-02-30T08:00' }], [0, 'to']],
    ['a time with an offset', [{ ...holidays, to: '2027-01-04T08:00Z' }], [0, 'to']],
    ['two forms', [weekend, { ...holidays, to: 'mon 08:00' }], [1, 'to']],
    ['no length', [{ ...weekend, to: weekend.from }], [0, 'to']],
    ['an end before the start', [{ ...holidays, to: '2026-12-18T11:59' }], [0, 'to']],
  ])('%s', (_, windows, path) => {
    const problem = problemOfFreezeWindows(windows)
    expect(problem?.path).toEqual(path)
    expect(problem?.message).toMatch(/^(?:is|needs) .*: \w/)
  })

  test('does not exist for valid windows', () => {
    expect(problemOfFreezeWindows([weekend, holidays])).toBeUndefined()
    expect(problemOfFreezeWindows([])).toBeUndefined()
  })
})
