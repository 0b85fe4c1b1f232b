import { delayedSteps, dueStep, delayOf, rampSteps } from '@rollkey/contract/rules'
import { describe, expect, test } from 'vitest'
import { shown } from './slow-clock.ts'

const steps = [
  { atMs: 10, chance: 0.01 },
  { atMs: 20, chance: 0.1 },
  { atMs: 30, chance: 1 },
]

test.each([
  ['before the first step', 0, 9, undefined],
  ['at the time of a step', 0, 10, 0],
  ['between two steps that are not done', 0, 29, 1],
  ['after an outage over all steps', 0, 1_000, 2],
  ['when the due step is done', 2, 29, undefined],
  ['when the clock was set back', 2, 5, undefined],
  ['when the next step was skipped', 2, 30, 2],
  ['when all steps are done', 3, 1_000, undefined],
])('%s', (_, done, nowMs, index) => {
  expect(dueStep(steps, done, nowMs)).toBe(index)
})

const zone = 'Europe/Berlin'
const plan = { chances: [0.01, 0.1, 0.5, 1], every: '2d', at: '09:00', zone }
const planned = rampSteps(plan, Date.parse('2027-03-24T00:00Z'))
const times = (of: readonly { atMs: number }[]): string[] => of.map(({ atMs }) => shown(atMs, zone))

test('delayed steps keep their time of day where clocks change', () => {
  expect(times(planned)).toEqual(['2027-03-24T09:00', '2027-03-26T09:00', '2027-03-28T09:00', '2027-03-30T09:00'])
  expect(times(delayedSteps(planned, 3, zone))).toEqual([
    '2027-03-27T09:00',
    '2027-03-29T09:00',
    '2027-03-31T09:00',
    '2027-04-02T09:00',
  ])
  expect(delayedSteps(planned, 0, zone)).toEqual(planned)
})

test.each([
  ['while the next step is ahead', 1, '2027-03-26T07:59:59Z', 0],
  ['at the time of the next step', 1, '2027-03-26T08:00:00Z', 0],
  ['just after it', 1, '2027-03-26T08:00:01Z', 1],
  ['days after it, before the time of day', 1, '2027-03-29T06:59:00Z', 3],
  ['days after it, after the time of day', 1, '2027-03-29T07:01:00Z', 4],
  ['when no step is left', 4, '2028-01-01T00:00:00Z', 0],
])('a ramp that goes on %s moves by the fewest days', (_, done, now, days) => {
  const nowMs = Date.parse(now)
  expect(delayOf(planned, { done, delayDays: 0, zone }, nowMs)).toBe(days)
  expect(delayedSteps(planned, days, zone)[done]?.atMs ?? Infinity).toBeGreaterThanOrEqual(nowMs)
})

describe('a ramp that goes on with excluded days', () => {
  const notOn = ['sat', 'sun'] as const
  // Wednesday, Thursday, Friday and Monday.
  const daily = rampSteps({ ...plan, every: '1d', notOn }, Date.parse('2027-04-07T00:00Z'))

  test.each(['2027-04-09T08:00Z', '2027-04-10T08:00Z', '2027-04-12T06:00Z', '2027-04-12T08:00Z'])('at %s', (now) => {
    const [done, nowMs] = [1, Date.parse(now)]
    const days = delayOf(daily, { done, delayDays: 0, zone, notOn }, nowMs)
    const moved = delayedSteps(daily, days, zone, notOn)
    const left = moved.slice(done)
    expect(left.every(({ atMs }) => atMs >= nowMs && !/^(?:Sat|Sun)/.test(new Date(atMs).toUTCString()))).toBe(true)
    expect(left.every(({ atMs }, index) => index === 0 || atMs > (left[index - 1]?.atMs ?? 0))).toBe(true)
    const before = delayedSteps(daily, days - 1, zone, notOn)[done]?.atMs ?? 0
    expect(before).toBeLessThan(nowMs)
  })

  test('a second pause counts from the plan, not from the moved steps', () => {
    const once = delayOf(daily, { done: 1, delayDays: 0, zone, notOn }, Date.parse('2027-04-09T08:00Z'))
    const twice = delayOf(daily, { done: 1, delayDays: once, zone, notOn }, Date.parse('2027-04-13T08:00Z'))
    expect(times(delayedSteps(daily, twice, zone, notOn)).slice(1)).toEqual([
      '2027-04-14T09:00',
      '2027-04-15T09:00',
      '2027-04-19T09:00',
    ])
    expect(delayOf(daily, { done: 1, delayDays: twice, zone, notOn }, Date.parse('2027-04-13T08:00Z'))).toBe(twice)
  })
})
