import { expect, it } from 'vitest'
import { backOffMs } from './back-off.ts'

it.each([
  [0, 0, 250],
  [0, 1, 500],
  [1, 0.5, 750],
  [4, 1, 8_000],
  [5, 0, 7_500],
  [2_000, 1, 15_000],
])('after %i failures, by chance %d, are %i ms', (failures, random, ms) => {
  expect(backOffMs(failures, random)).toBe(ms)
})
