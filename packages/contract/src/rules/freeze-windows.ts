/**
 * Freeze windows: times at which a stage does not change, by the clocks of a named zone.
 *
 * Daylight saving never shortens a window. It begins when the clocks first show its start and ends when they last show its end. If
 * they jump over one of these, it is at the jump.
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

/** A time at which a stage does not change: every week, or once. */
export interface FreezeWindow {
  /** Named time zone, such as `Europe/Berlin`. */
  readonly zone: string
  /** Its start: every week (`fri 17:00`) or once (`2026-12-20T17:00`). */
  readonly from: string
  /** Its end, which does not belong to it: `mon 08:00` or `2027-01-04T08:00`, of the same form as the start. */
  readonly to: string
}

/** A start or an end. */
interface Bound {
  readonly isWeekly: boolean
  /** Milliseconds since Monday, 00:00, or a wall time. */
  readonly ms: number
}

interface Span {
  readonly startMs: number
  readonly endMs: number
}

const msPerWeek = 7 * msPerDay
/** How far ahead an end is searched, in milliseconds: windows that together have no gap never end. */
const maxEndMs = 400 * msPerDay

function weeklyBoundOf(text: string): Bound | undefined {
  const [, day, time = ''] = /^([a-z]{3}) ([0-9:]{5})$/.exec(text) ?? []
  const number = weekdays.indexOf(day as Weekday)
  const minutes = minutesOfDay(time)
  if (number < 0 || minutes === undefined) return undefined
  return { isWeekly: true, ms: number * msPerDay + minutes * msPerMinute }
}

function boundOf(text: string): Bound | undefined {
  const wallMs = /^[0-9-]{10}T[0-9:]{5}$/.test(text) ? Date.parse(`${text}Z`) : NaN
  // The comparison refuses the 30th of February and 24:00, which Date moves to another day.
  const isDate = wallMs >= 0 && new Date(wallMs).toISOString().startsWith(text)
  return isDate ? { isWeekly: false, ms: wallMs } : weeklyBoundOf(text)
}

/** Returns the times of a window that can contain an instant. */
function spansAround({ zone, from, to }: FreezeWindow, atMs: number): Span[] {
  const [start, end] = [boundOf(from) as Bound, boundOf(to) as Bound]
  const span = (fromMs: number, toMs: number): Span => ({
    startMs: instantOf(fromMs, zone, 'first'),
    endMs: instantOf(toMs, zone, 'last'),
  })
  if (!start.isWeekly) return [span(start.ms, end.ms)]
  const today = startOfDay(wallTimeOf(atMs, zone))
  const monday = today - dayNumberOf(today) * msPerDay
  const lengthMs = (end.ms - start.ms + msPerWeek) % msPerWeek
  // The next week too: where clocks are set back over midnight, a window that has begun can be one of tomorrow.
  return [-1, 0, 1].map((week) => {
    const fromMs = monday + week * msPerWeek + start.ms
    return span(fromMs, fromMs + lengthMs)
  })
}

/**
 * Returns when the freeze ends that contains an instant, or undefined if none does. Windows that overlap or touch are one freeze. Of a
 * freeze without an end, it returns an instant more than a year ahead. Never throws for valid windows.
 *
 * @param atMs Unix time in milliseconds.
 * @returns Unix time in milliseconds.
 * @example
 * const weekend = { zone: 'Europe/Berlin', from: 'fri 17:00', to: 'mon 08:00' }
 * freezeEndMs([weekend], Date.parse('2026-11-28T12:00Z')) // Date.parse('2026-11-30T07:00Z')
 */
export function freezeEndMs(windows: readonly FreezeWindow[], atMs: number): number | undefined {
  let endMs = atMs
  while (endMs < atMs + maxEndMs) {
    const reachedMs = endMs
    const spans = windows.flatMap((window) => spansAround(window, reachedMs))
    const ends = spans.filter((span) => span.startMs <= reachedMs && reachedMs < span.endMs).map((span) => span.endMs)
    if (ends.length === 0) break
    endMs = Math.max(...ends)
  }
  return endMs > atMs ? endMs : undefined
}

const forms = 'a day and a time such as fri 17:00, or a date and a time such as 2026-12-20T17:00'

function problemOfWindow(window: unknown): Problem | undefined {
  if (!isRecord(window)) return { path: [], message: 'is not an object: state zone, from and to' }
  const { zone, from, to } = window
  if (typeof zone !== 'string' || !isTimeZone(zone)) {
    return { path: ['zone'], message: 'is not a time zone (expected a name such as Europe/Berlin or UTC): correct it' }
  }
  const [start, end] = [from, to].map((text) => (typeof text === 'string' ? boundOf(text) : undefined))
  if (!start) return { path: ['from'], message: `is not a time (expected ${forms}): correct it` }
  if (!end) return { path: ['to'], message: `is not a time (expected ${forms}): correct it` }
  if (start.isWeekly !== end.isWeekly) {
    return { path: ['to'], message: `is not of the same form as from (expected for both ${forms}): correct one` }
  }
  const isEmpty = start.isWeekly ? start.ms === end.ms : start.ms >= end.ms
  return isEmpty ? { path: ['to'], message: 'is not after from: state a later time' } : undefined
}

/**
 * Returns what is wrong with a list of freeze windows, or undefined. Never throws.
 *
 * @example
 * problemOfFreezeWindows([{ zone: 'Berlin', from: 'fri 17:00', to: 'mon 08:00' }])?.path // [0, 'zone']
 */
export function problemOfFreezeWindows(windows: unknown): Problem | undefined {
  if (!Array.isArray(windows) || windows.length > limits.freezeWindows) {
    return { path: [], message: `is not a list of at most ${limits.freezeWindows} freeze windows: remove some` }
  }
  for (const [index, window] of windows.entries()) {
    const problem = problemOfWindow(window)
    if (problem) return { ...problem, path: [index, ...problem.path] }
  }
  return undefined
}
