import { limits, problemOfRampPlan, rampSteps, weekdays, type RampPlan } from '@rollkey/contract/rules'
import { describe, expect, test } from 'vitest'
import { changesOf, minuteMs, numbersFrom, shown, slowInstantOf } from './slow-clock.ts'

const isLong = process.env['ROLLKEY_TEST_LONG'] === '1'
const zone = 'Europe/Berlin'
const chances = [0.01, 0.1, 0.5, 1]
const plan: RampPlan = { chances, every: '2d', at: '09:00', zone, notOn: ['sat', 'sun'] }

/** Returns the steps of a plan as their clocks show them. */
function shownSteps(given: RampPlan, start: string): string[] {
  return rampSteps(given, Date.parse(start)).map(({ atMs }) => shown(atMs, given.zone))
}

describe('the steps', () => {
  test('carry the chances in their order', () => {
    expect(rampSteps(plan, Date.now()).map(({ chance }) => chance)).toEqual(chances)
  })

  test('every two days at nine, not on weekends: a step moves to Monday, and the later ones count from there', () => {
    expect(shownSteps(plan, '2026-11-26T10:00Z')).toEqual([
      '2026-11-27T09:00',
      '2026-11-30T09:00',
      '2026-12-02T09:00',
      '2026-12-04T09:00',
    ])
  })

  test('begin today if the time is still ahead, at the instant itself too', () => {
    expect(shownSteps(plan, '2026-11-26T08:00Z')[0]).toBe('2026-11-26T09:00')
    expect(shownSteps(plan, '2026-11-26T08:00:00.001Z')[0]).toBe('2026-11-27T09:00')
  })

  test('without a time of day begin at the start and keep its time', () => {
    const { at: _, ...atAnyTime } = plan
    const start = Date.parse('2026-11-25T10:11:12.345Z')
    expect(rampSteps({ ...atAnyTime, every: '1d' }, start).map(({ atMs }) => atMs)).toEqual(
      [0, 1, 2, 5].map((days) => start + days * 1_440 * minuteMs),
    )
    expect(shownSteps(atAnyTime, '2026-11-28T10:00Z')[0]).toBe('2026-11-30T11:00')
  })

  test('count weeks, hours and minutes', () => {
    expect(shownSteps({ chances, every: '1w', at: '09:00', zone }, '2026-11-26T08:00Z').at(-1)).toBe('2026-12-17T09:00')
    expect(shownSteps({ chances, every: '90m', zone }, '2026-11-26T08:00Z').at(-1)).toBe('2026-11-26T13:30')
    expect(shownSteps({ chances, every: '6h', zone, notOn: ['sat', 'sun'] }, '2026-11-27T08:00Z')).toEqual([
      '2026-11-27T09:00',
      '2026-11-27T15:00',
      '2026-11-27T21:00',
      '2026-11-30T03:00',
    ])
  })

  test('keep their time of day over both changes of the clocks', () => {
    const daily = { chances, every: '1d', at: '09:00', zone }
    const hours = (start: string): number[] => {
      const steps = rampSteps(daily, Date.parse(start))
      return steps.slice(1).map(({ atMs }, index) => (atMs - (steps[index]?.atMs ?? 0)) / (60 * minuteMs))
    }
    expect(hours('2026-10-24T00:00Z')).toEqual([25, 24, 24])
    expect(hours('2027-03-27T00:00Z')).toEqual([23, 24, 24])
  })

  test('at a time that the clocks jump over are at the jump, and the next ones at their time again', () => {
    expect(shownSteps({ ...plan, every: '1d', at: '02:30', notOn: [] }, '2027-03-27T00:00Z')).toEqual([
      '2027-03-27T02:30',
      '2027-03-28T03:00',
      '2027-03-29T02:30',
      '2027-03-30T02:30',
    ])
  })

  test('at a time that the clocks show twice are at the first', () => {
    const steps = rampSteps({ ...plan, every: '1d', at: '02:30', notOn: [] }, Date.parse('2026-10-24T12:00Z'))
    expect(steps[0]?.atMs).toBe(Date.parse('2026-10-25T00:30Z'))
  })

  test('are hours apart as time passes, not as clocks show it', () => {
    expect(shownSteps({ chances, every: '1h', zone }, '2026-10-25T00:00Z')).toEqual([
      '2026-10-25T02:00',
      '2026-10-25T02:00',
      '2026-10-25T03:00',
      '2026-10-25T04:00',
    ])
  })

  test('on a day that the date line took are not doubled', () => {
    const daily = { chances, every: '1d', at: '00:00', zone: 'Pacific/Apia' }
    expect(shownSteps(daily, '2011-12-29T00:00Z')).toEqual([
      '2011-12-29T00:00',
      '2011-12-31T00:00',
      '2012-01-01T00:00',
      '2012-01-02T00:00',
    ])
  })
})

test('steps of any plan, zone and year are at their time, never on an excluded day, and never too close', () => {
  const next = numbersFrom(9)
  const zones = Intl.supportedValuesOf('timeZone')
  const time = () => `${String(next(24)).padStart(2, '0')}:${String(next(60)).padStart(2, '0')}`
  const dayOf = (atMs: number, inZone: string) => shown(atMs, inZone).slice(0, 10)
  const weekdayOf = (date: string) => weekdays[(new Date(date).getUTCDay() + 6) % 7]
  const datesBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / (1_440 * minuteMs)
  const wrong: string[] = []
  for (let round = 0; round < (isLong ? 2_000 : 25); round++) {
    const inZone = zones[next(zones.length)] as string
    const changes = changesOf(inZone, 1972 + next(120))
    const near = changes.length > 0 ? (changes[next(changes.length)] as number) : Date.UTC(2026, next(12))
    const startMs = near - next(4 * 1_440) * minuteMs
    const days = 1 + next(3)
    const notOn = weekdays.filter(() => next(4) === 0)
    const given: RampPlan = { chances, every: `${days}d`, at: time(), zone: inZone, notOn }
    let previous: number | undefined
    for (const { atMs } of rampSteps(given, startMs)) {
      const date = dayOf(atMs, inZone)
      // The first possible day, found by trying one after the other with the slow clock.
      let candidate = previous === undefined ? dayOf(startMs, inZone) : dayOf(previous, inZone)
      let skipped = previous === undefined ? 0 : days
      for (; ; skipped++) {
        const day = new Date(Date.parse(candidate) + skipped * 1_440 * minuteMs).toISOString().slice(0, 10)
        const slowMs = slowInstantOf(`${day}T${given.at}`, inZone, 'first')
        if (slowMs < startMs || (previous !== undefined && slowMs <= previous)) continue
        if (notOn.includes(weekdayOf(dayOf(slowMs, inZone)) as never)) continue
        if (slowMs !== atMs) wrong.push(`${JSON.stringify(given)}: ${new Date(atMs).toISOString()} is not ${day}`)
        break
      }
      if (previous !== undefined && datesBetween(dayOf(previous, inZone), date) < days)
        wrong.push(`${date} is too close`)
      previous = atMs
    }
  }
  expect(wrong).toEqual([])
}, 600_000)

describe('a problem', () => {
  test.each<[string, unknown, string[]]>([
    ['no object', [plan], []],
    ['no chances', { ...plan, chances: [] }, ['chances']],
    ['too many chances', { ...plan, chances: Array.from({ length: limits.rampSteps + 1 }, () => 1) }, ['chances']],
    ['a chance above 1', { ...plan, chances: [0.1, 10] }, ['chances']],
    ['a chance that is not a number', { ...plan, chances: [NaN] }, ['chances']],
    ['an unknown zone', { ...plan, zone: 'CEST' }, ['zone']],
    ['an interval without a unit', { ...plan, every: '2' }, ['every']],
    ['an empty interval', { ...plan, every: '0d' }, ['every']],
    ['an interval of years', { ...plan, every: '367d' }, ['every']],
    ['no interval', { chances, zone }, ['every']],
    ['an unknown time', { ...plan, at: '9:00' }, ['at']],
    ['a time with hours between', { ...plan, every: '6h' }, ['at']],
    ['an unknown day', { ...plan, notOn: ['weekends'] }, ['notOn']],
    ['no day left', { ...plan, notOn: weekdays }, ['notOn']],
  ])('%s', (_, given, path) => {
    const problem = problemOfRampPlan(given)
    expect(problem?.path).toEqual(path)
    expect(problem?.message).toMatch(/^(?:is|needs|excludes) .*: \w/)
  })

  test('does not exist for a valid plan', () => {
    expect(problemOfRampPlan(plan)).toBeUndefined()
    expect(problemOfRampPlan({ chances, every: '30m', zone: 'UTC' })).toBeUndefined()
  })
})
