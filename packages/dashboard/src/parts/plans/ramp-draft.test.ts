import { describe, expect, it } from 'vitest'
import { newRampDraft, type RampDraft, stepsFrom, stepsOf, usualSteps } from './ramp-draft.ts'

/** A Thursday, 13:00 in Berlin. */
const nowMs = Date.parse('2027-01-14T12:00Z')
const draft = newRampDraft('1% 10% 100%', 'Europe/Berlin', nowMs)
const options = { nowMs, isReviewed: false }

function times(change: Partial<RampDraft>) {
  const planned = stepsOf({ ...draft, ...change }, options)
  return 'steps' in planned && planned.steps.map(({ atMs, chance }) => [chance, new Date(atMs).toISOString()])
}

it.each([
  [0, '1% 10% 50% 100%'],
  [0.05, '10% 50% 100%'],
  [0.53, '75% 90% 100%'],
  [0.95, '100%'],
])('from %d on, a plan suggests %s', (chance, steps) => {
  expect(usualSteps(chance)).toBe(steps)
})

describe('the steps of a draft', () => {
  it('begin at 9:00 of the next day, by the clocks of the zone', () => {
    expect(times({})).toEqual([
      [0.01, '2027-01-15T08:00:00.000Z'],
      [0.1, '2027-01-16T08:00:00.000Z'],
      [1, '2027-01-17T08:00:00.000Z'],
    ])
  })

  it('leave weekends out', () => {
    expect(times({ skipsWeekends: true, steps: '1, 10' })).toEqual([
      [0.01, '2027-01-15T08:00:00.000Z'],
      [0.1, '2027-01-18T08:00:00.000Z'],
    ])
  })

  it('begin at once, hours apart', () => {
    expect(times({ first: '', unit: 'h', count: 6, steps: '0.5% → 1%' })).toEqual([
      [0.005, '2027-01-14T12:00:00.000Z'],
      [0.01, '2027-01-14T18:00:00.000Z'],
    ])
  })
})

describe('a draft', () => {
  it.each([
    ['steps', { steps: '' }],
    ['steps', { steps: '1% 101%' }],
    ['steps', { steps: 'ten' }],
    ['count', { count: '' }],
    ['count', { count: 0.5 }],
    ['zone', { zone: 'Berlin' }],
    ['first', { first: '2027-01-14T12:59' }],
  ] as const)('has a problem with its %s if it is %j', (field, change) => {
    expect(stepsOf({ ...draft, ...change }, options)).toHaveProperty(`problems.${field}`, expect.stringMatching(/\.$/))
  })

  it('does not begin at once where it is reviewed first', () => {
    expect(stepsOf({ ...draft, first: '' }, { nowMs, isReviewed: true })).toHaveProperty('problems.first')
  })
})

describe('moved steps', () => {
  const steps = [
    { atMs: Date.parse('2027-03-25T08:00Z'), chance: 0.1 },
    { atMs: Date.parse('2027-03-26T08:00Z'), chance: 1 },
  ]
  const moved = (first: string, notOn?: ('sat' | 'sun')[]) =>
    stepsFrom(steps, Date.parse(first), 'Europe/Berlin', notOn).map(({ atMs }) => new Date(atMs).toISOString())

  it('keep the time of day where clocks change', () => {
    expect(moved('2027-03-27T08:00Z')).toEqual(['2027-03-27T08:00:00.000Z', '2027-03-28T07:00:00.000Z'])
  })

  it('leave excluded days out', () => {
    expect(moved('2027-04-02T07:00Z', ['sat', 'sun'])).toEqual(['2027-04-02T07:00:00.000Z', '2027-04-05T07:00:00.000Z'])
  })
})

it('has one chance if that is set once', () => {
  const planned = (steps: string) => stepsOf({ ...draft, steps }, { ...options, isOnce: true })
  expect(planned('25%')).toMatchObject({ steps: [{ chance: 0.25 }] })
  expect(planned('10% 50%')).toEqual({ problems: { steps: 'Choose another chance than the present one.' } })
})
