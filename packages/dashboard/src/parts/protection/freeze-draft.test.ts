import { expect, test } from 'vitest'
import { draftOf, newFreeze, problemsOf, windowOf } from './freeze-draft.ts'
import { labels } from './labels.ts'

const berlin = 'Europe/Berlin'

test.each([
  { zone: berlin, from: 'fri 17:00', to: 'mon 08:00' },
  { zone: 'UTC', from: '2026-12-20T17:00', to: '2027-01-04T08:00' },
])('a stored window stays the same: $from', (window) => {
  expect(windowOf(draftOf(window))).toEqual(window)
  expect(problemsOf(draftOf(window))).toEqual({})
})

test.each([
  [{ zone: 'Berlin' }, { zone: labels.rules.zoneProblem }],
  [{ fromTime: '' }, { fromTime: labels.rules.timeProblem }],
  [{ toTime: '' }, { toTime: labels.rules.endProblem }],
  [{ toDay: 'fri', toTime: '17:00' }, { toTime: labels.rules.endProblem }],
  [{ repeats: 'once', from: '', to: '' }, { from: labels.rules.timeProblem }],
  [{ repeats: 'once', from: '2027-01-04T08:00', to: '2026-12-20T17:00' }, { to: labels.rules.endProblem }],
] as const)('%j is wrong at its field', (change, problems) => {
  expect(problemsOf({ ...newFreeze(berlin), ...change })).toEqual(problems)
})
