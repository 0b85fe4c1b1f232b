/** Where a ramp is: which step is due, and when the next ones are after a pause. */
import type { RampStep } from './ramp-plan.ts'
import { dayNumberOf, instantOf, msPerDay, wallTimeOf, weekdays, type Weekday } from './time-zones.ts'

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
 * Returns steps that are some days of the calendar later, at the same times of day. A step that would fall on an excluded day moves to
 * the next other day, and the later ones with it. A time that the clocks jump over or show twice is treated as in a plan. Never throws
 * for a valid zone.
 *
 * @param days How many days.
 * @param notOn Days of the week without steps.
 * @example
 * delayedSteps([{ atMs: Date.parse('2027-03-27T08:00Z'), chance: 1 }], 1, 'Europe/Berlin') // at 07:00 UTC of the next day
 */
export function delayedSteps(
  steps: readonly RampStep[],
  days: number,
  zone: string,
  notOn: readonly Weekday[] = [],
): readonly RampStep[] {
  if (days === 0) return steps
  let later = days
  return steps.map(({ atMs, chance }) => {
    const wallMs = wallTimeOf(atMs, zone)
    while (notOn.includes(weekdays[dayNumberOf(wallMs + later * msPerDay)] as Weekday)) later++
    return { atMs: instantOf(wallMs + later * msPerDay, zone, 'first'), chance }
  })
}

/** A paused ramp that goes on. */
interface Resumed {
  /** How many steps are done or skipped. */
  readonly done: number
  /** By how many days earlier pauses have moved its steps. */
  readonly delayDays: number
  /** Named time zone. */
  readonly zone: string
  /** Days of the week without steps. @default none */
  readonly notOn?: readonly Weekday[] | undefined
}

/**
 * Returns by how many days the planned steps of a paused ramp must move so that none of those left was missed. Never throws for a valid
 * zone.
 *
 * @param nowMs Unix time in milliseconds at which the ramp goes on.
 * @example
 * delayOf([{ atMs: 0, chance: 1 }], { done: 0, delayDays: 0, zone: 'UTC' }, 1) // 1
 */
export function delayOf(steps: readonly RampStep[], { done, delayDays, zone, notOn }: Resumed, nowMs: number): number {
  const nextMs = (days: number): number => delayedSteps(steps, days, zone, notOn)[done]?.atMs ?? Infinity
  const missedMs = nowMs - nextMs(delayDays)
  if (missedMs <= 0) return delayDays
  let days = delayDays + Math.floor(missedMs / msPerDay)
  // What an excluded day adds may be less than before.
  while (days > delayDays + 1 && nextMs(days - 1) >= nowMs) days--
  while (nextMs(days) < nowMs) days++
  return days
}
