/**
 * The plan of a ramp: chances, and how their instants follow from days and times in a named zone.
 *
 * A time that the clocks jump over is at the jump, and one that they show twice is at the first. Days count on the calendar, hours and
 * minutes as they pass. A step that would fall on an excluded day moves to the same time of the next other day, and the later ones
 * count from there, so no two steps come closer than the plan says.
 */
import { isRecord } from './is-record.ts'
import { limits } from './limits.ts'
import type { Problem } from './targeting.ts'
import {
  dayNumberOf,
  instantOf,
  isTimeZone,
  minutesOfDay,
  msPerDay,
  msPerMinute,
  startOfDay,
  wallTimeOf,
  weekdays,
  type Weekday,
} from './time-zones.ts'

/** How the chance of a roll changes by itself. */
export interface RampPlan {
  /** Probabilities of A, each from 0 to 1, in the order of their steps. */
  readonly chances: readonly number[]
  /** Time from a step to the next: minutes, hours, days or weeks, such as `30m`, `6h`, `2d` or `1w`. */
  readonly every: string
  /** Named time zone, such as `Europe/Berlin`. */
  readonly zone: string
  /** Time of day of each step, such as `09:00`, if steps are days or weeks apart. @default the time of the first step */
  readonly at?: string | undefined
  /** Days of the week without steps. @default none */
  readonly notOn?: readonly Weekday[] | undefined
}

/** A step of a ramp. */
export interface RampStep {
  /** Unix time in milliseconds. */
  readonly atMs: number
  /** Probability of A from then on, from 0 to 1. */
  readonly chance: number
}

interface Interval {
  readonly count: number
  readonly unitMs: number
}

const unitsMs = { m: msPerMinute, h: 60 * msPerMinute, d: msPerDay, w: 7 * msPerDay } as const
const maxIntervalMs = 366 * msPerDay

function intervalOf(text: string): Interval | undefined {
  const [, count, unit] = /^([1-9][0-9]{0,5})(m|h|d|w)$/.exec(text) ?? []
  if (count === undefined) return undefined
  const interval = { count: Number(count), unitMs: unitsMs[unit as keyof typeof unitsMs] }
  return interval.count * interval.unitMs <= maxIntervalMs ? interval : undefined
}

const isInDays = ({ unitMs }: Interval): boolean => unitMs >= msPerDay

/**
 * Returns the steps of a valid plan. The first is at the start, or at the plan's next time after it. Never throws.
 *
 * @param startMs Unix time in milliseconds.
 * @example
 * const plan: RampPlan = { chances: [0.01, 0.1, 0.5, 1], every: '2d', at: '09:00', zone: 'Europe/Berlin', notOn: ['sat', 'sun'] }
 * rampSteps(plan, Date.now())
 */
export function rampSteps({ chances, every, zone, at, notOn = [] }: RampPlan, startMs: number): RampStep[] {
  const interval = intervalOf(every) as Interval
  const lengthMs = interval.count * interval.unitMs
  const isExcluded = (atMs: number): boolean => notOn.includes(weekdays[dayNumberOf(wallTimeOf(atMs, zone))] as Weekday)
  /** Returns the first instant from `fromMs` on at which the clocks show this time, on this day or the next possible one. */
  const firstFrom = (fromMs: number, wallMs: number): number => {
    for (let ms = wallMs; ; ms += msPerDay) {
      const atMs = instantOf(ms, zone, 'first')
      if (atMs >= fromMs && !isExcluded(atMs)) return atMs
    }
  }
  const startWallMs = wallTimeOf(startMs, zone)
  const today = startOfDay(startWallMs)
  const timeOfDay = at === undefined ? startWallMs - today : (minutesOfDay(at) as number) * msPerMinute
  const after = (atMs: number): number => {
    if (isInDays(interval)) {
      return firstFrom(atMs + 1, startOfDay(wallTimeOf(atMs, zone)) + timeOfDay + lengthMs)
    }
    const nextMs = atMs + lengthMs
    return isExcluded(nextMs) ? firstFrom(nextMs, wallTimeOf(nextMs, zone)) : nextMs
  }
  const startsNow = at === undefined && !isExcluded(startMs)
  let atMs = startsNow ? startMs : firstFrom(startMs, today + timeOfDay)
  return chances.map((chance, index) => {
    if (index > 0) atMs = after(atMs)
    return { atMs, chance }
  })
}

const isChance = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1

function problemOfTimes({ every, at }: Readonly<Record<string, unknown>>): Problem | undefined {
  const interval = typeof every === 'string' ? intervalOf(every) : undefined
  if (!interval) {
    const expected = 'minutes, hours, days or weeks, such as 30m, 6h, 2d or 1w, at most 366 days'
    return { path: ['every'], message: `is not a time between steps (expected ${expected}): correct it` }
  }
  if (at === undefined) return undefined
  if (typeof at !== 'string' || minutesOfDay(at) === undefined) {
    return { path: ['at'], message: 'is not a time of day (expected one such as 09:00): correct it' }
  }
  if (isInDays(interval)) return undefined
  return { path: ['at'], message: 'needs steps that are days or weeks apart: remove it, or use days' }
}

/**
 * Returns what is wrong with the plan of a ramp, or undefined. Never throws.
 *
 * @example
 * problemOfRampPlan({ chances: [0.1, 1], every: '2 days', zone: 'UTC' })?.path // ['every']
 */
export function problemOfRampPlan(plan: unknown): Problem | undefined {
  if (!isRecord(plan)) return { path: [], message: 'is not an object: state chances, every and zone' }
  const { chances, zone, notOn = [] } = plan
  const isList = Array.isArray(chances) && chances.length > 0 && chances.length <= limits.rampSteps
  if (!isList || !chances.every(isChance)) {
    return { path: ['chances'], message: `is not a list of 1 to ${limits.rampSteps} chances from 0 to 1: correct it` }
  }
  if (typeof zone !== 'string' || !isTimeZone(zone)) {
    return { path: ['zone'], message: 'is not a time zone (expected a name such as Europe/Berlin or UTC): correct it' }
  }
  if (!Array.isArray(notOn) || !notOn.every((day) => (weekdays as readonly unknown[]).includes(day))) {
    return { path: ['notOn'], message: `is not a list of days (expected some of ${weekdays.join(', ')}): correct it` }
  }
  if (new Set(notOn).size === weekdays.length) {
    return { path: ['notOn'], message: 'excludes every day: leave one on which steps can be' }
  }
  return problemOfTimes(plan)
}
