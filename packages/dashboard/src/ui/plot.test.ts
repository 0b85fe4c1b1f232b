import { expect, it } from 'vitest'
import { splitsOf, topOf } from './plot.tsx'

it.each([
  [28, 2, [0, 20, 40]],
  [40, 2, [0, 20, 40]],
  [157, 4, [0, 50, 100, 150, 200]],
  [1, 4, [0, 1]],
  [0, 4, [0, 1]],
])('the axis of a plot up to %i has with %i steps the labels %j', (most, steps, labels) => {
  const top = topOf(most, steps)
  expect(splitsOf(top, steps)).toEqual(labels)
  expect(top).toBeGreaterThanOrEqual(most)
})
