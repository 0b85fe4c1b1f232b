import { expect, test } from 'vitest'
import { agoText, pastTimeOf, timeOf, timeText, zoneOf } from '../../../src/frame/time.ts'

const berlin = 'Europe/Berlin'
/** Thursday, 26 November 2026, 10:00 in Berlin. */
const nowMs = Date.parse('2026-11-26T09:00Z')

function read(text: string): string {
  return new Date(timeOf(text, '--at', berlin, nowMs)).toISOString()
}

test.each([
  ['30m', '2026-11-26T09:30:00.000Z'],
  ['6h', '2026-11-26T15:00:00.000Z'],
  ['2d', '2026-11-28T09:00:00.000Z'],
  ['1w', '2026-12-03T09:00:00.000Z'],
  ['11:00', '2026-11-26T10:00:00.000Z'],
  ['9:00', '2026-11-27T08:00:00.000Z'],
  ['2026-12-01 09:00', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01T09:00', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00:30+05:30', '2026-12-01T03:30:30.000Z'],
  // The clocks jump from 2:00 to 3:00.
  ['2027-03-28 02:30', '2027-03-28T01:00:00.000Z'],
  // They show 2:30 twice.
  ['2027-10-31 02:30', '2027-10-31T00:30:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(read(text)).toBe(expected)
})

test.each([
  '',
  'tomorrow',
  '0m',
  '5x',
  '25:00',
  '2026-13-01 09:00',
  '2027-02-31 09:00',
  '2027-02-31T09:00Z',
  '1e3',
  '-5m',
])('%j is refused with what is expected', (text) =>
  expect(() => read(text)).toThrow(/^Unknown time .* of --at \(expected 09:00, /),
)

test('a time in the past is refused as it was understood', () => {
  expect(() => read('2026-11-26 09:59')).toThrow('--at is in the past: Thu 2026-11-26 09:59 (expected a later time)')
})

test('a time is shown by the clocks of the zone, and an unknown zone is refused', () => {
  expect(timeText(nowMs, berlin)).toBe('Thu 2026-11-26 10:00')
  expect(() => zoneOf('+02:00')).toThrow('Unknown time zone "+02:00" (expected a name such as Europe/Berlin or UTC)')
})

test.each([
  ['30m', 'start', '2026-11-26T08:30:00.000Z'],
  ['7d', 'end', '2026-11-19T09:00:00.000Z'],
  ['2026-11-25', 'start', '2026-11-24T23:00:00.000Z'],
  ['2026-11-25', 'end', '2026-11-25T23:00:00.000Z'],
  ['2026-11-25 08:30', 'end', '2026-11-25T07:30:00.000Z'],
  ['2026-11-25T08:30Z', 'start', '2026-11-25T08:30:00.000Z'],
] as const)('%s is a past time, as the %s of a span', (text, edge, expected) => {
  const atMs = pastTimeOf(text, { what: '--since', edge, zone: berlin }, nowMs)
  expect(new Date(atMs).toISOString()).toBe(expected)
})

test.each(['', 'yesterday', '09:00', '2027-02-31', '2027'])('%j is refused as a past time', (text) => {
  expect(() => pastTimeOf(text, { what: '--since', edge: 'start', zone: berlin }, nowMs)).toThrow(
    /^Unknown time .* of --since \(expected 2027-01-31, /,
  )
})

test.each([
  [-5_000, 'just now'],
  [59_999, 'just now'],
  [60_000, '1 min ago'],
  [3_599_999, '59 min ago'],
  [3_600_000, '1 h ago'],
  [86_400_000, '1 d ago'],
  [29 * 86_400_000, '29 d ago'],
  [30 * 86_400_000, '2026-10-27'],
])('%d ms before now is %s', (ms, expected) => {
  expect(agoText(nowMs - ms, nowMs)).toBe(expected)
})
