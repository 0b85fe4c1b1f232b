import type { RampStep } from './ramp-plan.ts'

/** The shares of the new value, at equal times. Programs that cannot use it show up while few requests get it. */
const shares = [0.01, 0.1, 0.25, 0.5, 1]

/**
 * Returns the steps of a gradual rotation. Never throws.
 *
 * @param startMs time of the first step, Unix time in milliseconds
 * @param totalMs how long until the last one, in milliseconds
 * @example
 * rotationSteps(0, 3_600_000)[4] // { atMs: 3_600_000, chance: 1 }
 */
export function rotationSteps(startMs: number, totalMs: number): RampStep[] {
  return shares.map((chance, index) => ({
    atMs: startMs + Math.round((totalMs * index) / (shares.length - 1)),
    chance,
  }))
}
