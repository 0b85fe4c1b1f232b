import { expect, it } from 'vitest'
import { tailOf } from './chi-squared.ts'

/** The critical values of every table of the distribution with one degree of freedom. */
it.each([
  [0, 1],
  [0.454936, 0.5],
  [2.705543, 0.1],
  [3.841459, 0.05],
  [6.634897, 0.01],
  [10.827566, 0.001],
])('chance alone gives %j or more with p = %j', (chiSquared, p) => {
  expect(tailOf(chiSquared)).toBeCloseTo(p, 6)
})
