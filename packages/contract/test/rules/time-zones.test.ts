import { expect, test } from 'vitest'
import { isTimeZone } from '@rollkey/contract/rules'
import { instantOf, wallTimeOf } from '../../src/rules/time-zones.ts'
import { changesOf, minuteMs, numbersFrom, shown, slowInstantOf } from './slow-clock.ts'

const isLong = process.env['ROLLKEY_TEST_LONG'] === '1'
const zones = Intl.supportedValuesOf('timeZone')

test.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Asia/Kathmandu', 'EST5EDT'])(
  '%s is a time zone',
  (name) => expect(isTimeZone(name)).toBe(true),
)

test.each(['', ' ', 'Berlin', 'CEST', '+02:00', '-0500', 'Europe/Berlin ', 'Europe/Atlantis', 'x'.repeat(65)])(
  '%j is not a time zone',
  (name) => expect(isTimeZone(name)).toBe(false),
)

const at = (text: string, zone: string, which: 'first' | 'last'): string =>
  new Date(instantOf(Date.parse(`${text}Z`), zone, which)).toISOString().replace(':00.000Z', 'Z')

// Berlin jumps from 02:00 to 03:00 on 2027-03-28 and back from 03:00 to 02:00 on 2026-10-25.
test.each([
  ['a usual day', '2026-11-27T17:00', 'Europe/Berlin', '2026-11-27T16:00Z', '2026-11-27T16:00Z'],
  ['before a gap', '2027-03-28T01:59', 'Europe/Berlin', '2027-03-28T00:59Z', '2027-03-28T00:59Z'],
  ['in a gap', '2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:00Z', '2027-03-28T01:00Z'],
  ['after a gap', '2027-03-28T03:00', 'Europe/Berlin', '2027-03-28T01:00Z', '2027-03-28T01:00Z'],
  ['before an overlap', '2026-10-25T01:59', 'Europe/Berlin', '2026-10-24T23:59Z', '2026-10-24T23:59Z'],
  ['in an overlap', '2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30Z', '2026-10-25T01:30Z'],
  ['after an overlap', '2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00Z', '2026-10-25T02:00Z'],
  ['a gap of half an hour', '2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:30Z', '2026-10-03T15:30Z'],
  ['an overlap of half an hour', '2027-04-04T01:45', 'Australia/Lord_Howe', '2027-04-03T14:45Z', '2027-04-03T15:15Z'],
  ['a gap at midnight', '2026-04-24T00:00', 'Africa/Cairo', '2026-04-23T22:00Z', '2026-04-23T22:00Z'],
  ['an overlap over midnight', '2026-10-29T23:30', 'Africa/Cairo', '2026-10-29T20:30Z', '2026-10-29T21:30Z'],
  ['a day that the date line took', '2011-12-30T12:00', 'Pacific/Apia', '2011-12-30T10:00Z', '2011-12-30T10:00Z'],
  [
    'the evening of a day that the date line took',
    '1993-08-21T20:00',
    'Pacific/Kwajalein',
    '1993-08-21T12:00Z',
    '1993-08-21T12:00Z',
  ],
  ['negative daylight saving', '2026-10-25T01:30', 'Europe/Dublin', '2026-10-25T00:30Z', '2026-10-25T01:30Z'],
])('%s', (_, text, zone, first, last) => {
  expect([at(text, zone, 'first'), at(text, zone, 'last')]).toEqual([first, last])
})

test('an instant has the wall time that its zone shows, to the millisecond', () => {
  const atMs = Date.parse('2026-11-27T16:00:59.123Z')
  expect(wallTimeOf(atMs, 'Asia/Kathmandu')).toBe(Date.parse('2026-11-27T21:45:59.123Z'))
  expect(instantOf(wallTimeOf(atMs, 'Asia/Kathmandu'), 'Asia/Kathmandu', 'first')).toBe(atMs)
})

test('instants agree with a clock that is read minute by minute, around each change of many zones and years', () => {
  const next = numbersFrom(32)
  const samples = isLong
    ? zones.flatMap((zone) => [1975, 1990, 2005, 2026, 2050].map((year) => ({ zone, year })))
    : Array.from({ length: 40 }, () => ({ zone: zones[next(zones.length)] as string, year: 1972 + next(120) }))
  const wrong: string[] = []
  let compared = 0
  for (const { zone, year } of samples) {
    const changes = changesOf(zone, year)
    const around = changes.flatMap((change) => [change - minuteMs, change, change + next(60) * minuteMs])
    const randomMs = Date.UTC(year, 0) + next(365 * 1_440) * minuteMs
    const gaps = changes.map((change) => Date.parse(`${shown(change - minuteMs, zone)}Z`) + (1 + next(70)) * minuteMs)
    const texts = [...around, randomMs].map((atMs) => shown(atMs, zone))
    for (const text of [...texts, ...gaps.map((wallMs) => new Date(wallMs).toISOString().slice(0, 16))]) {
      for (const which of ['first', 'last'] as const) {
        compared++
        const [got, expected] = [instantOf(Date.parse(`${text}Z`), zone, which), slowInstantOf(text, zone, which)]
        if (got !== expected) wrong.push(`${zone} ${text} ${which}: ${at(text, zone, which)}`)
      }
    }
  }
  expect(wrong).toEqual([])
  expect(compared).toBeGreaterThan(isLong ? 10_000 : 150)
}, 600_000)
