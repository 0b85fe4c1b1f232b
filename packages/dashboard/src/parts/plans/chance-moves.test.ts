import { expect, test } from 'vitest'
import { fallOf, movesOf, stepsAhead } from './chance-moves.ts'

const steps = [
  { atMs: 10, chance: 0.01 },
  { atMs: 20, chance: 0.5 },
  { atMs: 30, chance: 1 },
]

test('each step replaces the chance of the one before, and the first the present one', () => {
  expect(movesOf(steps, 0.25).map(({ from }) => from)).toEqual([0.25, 0.01, 0.5])
  expect(fallOf(movesOf(steps, 0.25))).toEqual({ atMs: 10, from: 0.25, chance: 0.01 })
  expect(fallOf(movesOf(steps, 0.01))).toBeUndefined()
  expect(fallOf(movesOf(steps, undefined))).toBeUndefined()
})

test('of the steps that are due, only the latest is ahead, at once', () => {
  expect(stepsAhead(steps, 5)).toEqual(steps)
  expect(stepsAhead(steps, 25)).toEqual([
    { atMs: 25, chance: 0.5 },
    { atMs: 30, chance: 1 },
  ])
})
