/** Where a ramp is: which step is due, and when the next ones are after a pause. */
import type { RampStep } from './ramp-plan.ts'
import { instantOf, msPerDay, wallTimeOf } from './time-zones.ts'

/**
 * Returns the index of the latest step that is due and not done, or undefined. After an outage only that step is written: those before
 * it would give the chance to no one. Never throws.
 *
 * @param done How many steps are done or skipped.
 * @param nowMs Unix time in milliseconds.
 * @example
 * dueStep([{ atMs: 10, chance: 0.1 }, { atMs: 20, chance: 0.5 }, { atMs: 30, chance: 1 }], 0, 25) // 1
 */
export function dueStep(steps: readonly RampStep[], done: number, nowMs: number): number | undefined {
  const latest = steps.findLastIndex(({ atMs }) => atMs <= nowMs)
  return latest >= done ? latest : undefined
}

/**
 * Returns steps that are some days of the calendar later, at the same times of day. A time that the clocks jump over or show twice is
 * treated as in a plan. Never throws for a valid zone.
 *
 * @param days How many days.
 * @example
 * delayedSteps([{ atMs: Date.parse('2027-03-27T08:00Z'), chance: 1 }], 1, 'Europe/Berlin') // at 07:00 UTC of the next day
 */
export function delayedSteps(steps: readonly RampStep[], days: number, zone: string): readonly RampStep[] {
  if (days === 0) return steps
  return steps.map(({ atMs, chance }) => ({
    atMs: instantOf(wallTimeOf(atMs, zone) + days * msPerDay, zone, 'first'),
    chance,
  }))
}

/**
 * Returns how many days the steps of a paused ramp must move so that none of those left was missed. Never throws for a valid zone.
 *
 * @param done How many steps are done or skipped.
 * @param nowMs Unix time in milliseconds at which the ramp goes on.
 * @example
 * missedDays([{ atMs: 0, chance: 1 }], 0, 'UTC', 1) // 1
 */
export function missedDays(steps: readonly RampStep[], done: number, zone: string, nowMs: number): number {
  const next = steps[done]
  if (!next || next.atMs >= nowMs) return 0
  let days = Math.floor((nowMs - next.atMs) / msPerDay)
  while ((delayedSteps([next], days, zone)[0] as RampStep).atMs < nowMs) days++
  return days
}
