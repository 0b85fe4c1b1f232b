import { endedSide, staleness, type UsedVariable } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'

const nowMs = Date.UTC(2026, 10, 30, 12)
const daysAgo = (days: number): number => nowMs - days * 86_400_000
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const old = { createdAtMs: daysAgo(90), updatedAtMs: daysAgo(60) }
const today = { lastEvaluatedDay: dayOf(nowMs) }

const secret: UsedVariable = { kind: 'secret', ...old }
const roll: UsedVariable = { kind: 'ab_roll', chance: 0.5, ...old, ...today }

test.each<[string, UsedVariable, string | undefined]>([
  ['an old variable that was never evaluated', secret, 'unused'],
  ['one that was evaluated 31 days ago', { ...secret, lastEvaluatedDay: dayOf(daysAgo(31)) }, 'unused'],
  // The day ends less than 30 days ago.
  ['one that was evaluated 30 days ago', { ...secret, lastEvaluatedDay: dayOf(daysAgo(30)) }, undefined],
  ['one that was evaluated today', { ...secret, ...today }, undefined],
  ['a new one that was never evaluated', { ...secret, createdAtMs: daysAgo(29) }, undefined],
  ['a roll that was never evaluated', { ...roll, lastEvaluatedDay: undefined }, 'unused'],
  ['a roll with a share', roll, undefined],
  ['a roll at 1', { ...roll, chance: 1 }, 'done'],
  ['a roll at 0', { ...roll, chance: 0 }, 'done'],
  ['a roll at 1 since a week', { ...roll, chance: 1, updatedAtMs: daysAgo(7) }, undefined],
  ['a roll at 0 with pins', { ...roll, chance: 0, pinned: { a: 1, b: 0 } }, undefined],
  ['a roll at 0 with rules', { ...roll, chance: 0, rules: [{}] }, undefined],
  ['a roll at 0 without rules', { ...roll, chance: 0, rules: [] }, 'done'],
  ['a roll at 1 that was not evaluated', { ...roll, chance: 1, lastEvaluatedDay: undefined }, 'unused'],
])('%s', (_, variable, expected) => {
  expect(staleness(variable, nowMs)).toBe(expected)
})

test('the number of days can be chosen', () => {
  const variable = { ...secret, lastEvaluatedDay: dayOf(daysAgo(10)) }
  expect([5, 9, 10, 11].map((days) => staleness(variable, nowMs, days))).toEqual([
    'unused',
    'unused',
    undefined,
    undefined,
  ])
})

test.each([
  [1, 'a'],
  [0, 'b'],
  [0.999, undefined],
])('a roll with the chance %s gives the side %s to all', (chance, side) => {
  expect(endedSide({ kind: 'ab_roll', chance })).toBe(side)
})
