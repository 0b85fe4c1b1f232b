import { expect, test } from 'vitest'
import { hourMs, servedBySteps } from './served-steps.ts'

const at = (hour: number): number => hour * hourMs
const steps = [
  { atMs: at(10) + 1, chance: 0.1 },
  { atMs: at(20), chance: 0.5 },
  { atMs: at(30), chance: 1 },
]

test('each hour counts for the step whose chance alone it had, without pins and rules', () => {
  const hours = [
    { fromMs: at(9), a: 1, b: 1, chance: 0.1 },
    // The chance changed within this one.
    { fromMs: at(10), a: 5, b: 5 },
    { fromMs: at(11), a: 12, b: 95, pins: { a: 2, b: 0 }, rules: { a: 0, b: 5 }, chance: 0.1 },
    { fromMs: at(12), a: 1, b: 9, chance: 0.1 },
    { fromMs: at(20), a: 50, b: 50, chance: 0.5 },
    { fromMs: at(31), a: 4, b: 4, chance: 0.5 },
  ]
  expect(servedBySteps(steps, 2, hours)).toEqual([
    { a: 11, b: 99 },
    { a: 54, b: 54 },
  ])
  expect(servedBySteps(steps, 0, hours)).toEqual([])
})
