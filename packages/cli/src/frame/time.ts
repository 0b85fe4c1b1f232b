/** Times that people write and read, in a named time zone. */
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
} from '@rollkey/contract/rules'
import { usage } from './cli-error.ts'
import type { Output } from './output.ts'

/** The option of the time zone of other options. */
export const zoneOption = ['--zone <zone>', 'time zone, such as Europe/Berlin (default: that of this machine)'] as const

const unitsMs = { m: msPerMinute, h: 60 * msPerMinute, d: msPerDay, w: 7 * msPerDay }

/** Returns the time zone of the option, by default that of the machine. */
export function zoneOf(zone: string | undefined): string {
  const named = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  if (isTimeZone(named)) return named
  throw usage(`Unknown time zone ${JSON.stringify(named)} (expected a name such as Europe/Berlin or UTC)`)
}

/**
 * Parses a time. Days and hours that name no zone are those of the clocks of `zone`; `09:00` is the next one that they show.
 *
 * @param what the option that it is, for errors.
 * @returns Unix time in milliseconds.
 */
export function timeOf(text: string, what: string, zone: string, nowMs = Date.now()): number {
  const atMs = fromNow(text, nowMs) ?? ofClocks(text, zone, nowMs) ?? ofInstant(text)
  if (atMs === undefined)
    throw usage(
      `Unknown time ${JSON.stringify(text)} of ${what} (expected 09:00, 2027-01-31 09:00, 2027-01-31T09:00Z, or 30m, 6h, 2d or 1w from now)`,
    )
  if (atMs > nowMs) return atMs
  throw usage(`${what} is in the past: ${timeText(atMs, zone)} (expected a later time)`)
}

function fromNow(text: string, nowMs: number): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,4})(m|h|d|w)$/.exec(text) ?? []
  return count === undefined ? undefined : nowMs + Number(count) * unitsMs[unit as keyof typeof unitsMs]
}

/** Parses a span such as `24h`. `what`: the option that it is, for errors. Returns milliseconds. */
export function spanOf(text: string, what: string): number {
  const ms = fromNow(text, 0)
  if (ms !== undefined) return ms
  throw usage(`Unknown span ${JSON.stringify(text)} of ${what} (expected 30m, 6h, 2d or 1w)`)
}

function ofClocks(text: string, zone: string, nowMs: number): number | undefined {
  const [, day, time = ''] = /^(?:(\d{4}-\d\d-\d\d)[ T])?(\d\d?:\d\d)$/.exec(text) ?? []
  const minutes = minutesOfDay(time.padStart(5, '0'))
  if (minutes === undefined) return undefined
  const at = (dayMs: number): number => instantOf(dayMs + minutes * msPerMinute, zone, 'first')
  if (day !== undefined) return isDay(day) ? at(Date.parse(day)) : undefined
  const today = startOfDay(wallTimeOf(nowMs, zone))
  return at(today) > nowMs ? at(today) : at(today + msPerDay)
}

/** Returns whether the calendar has the day: `Date.parse` takes 31 February as a day of March. */
function isDay(day: string): boolean {
  const ms = Date.parse(day)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}

function ofInstant(text: string): number | undefined {
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  const ms = isDay(day) ? Date.parse(text) : NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** Returns a time as the clocks of a zone show it, such as `Sun 2027-01-31 09:00`. */
export function timeText(atMs: number, zone: string): string {
  const wallMs = wallTimeOf(atMs, zone)
  const day = weekdays[dayNumberOf(wallMs)] ?? ''
  return `${day.charAt(0).toUpperCase()}${day.slice(1)} ${new Date(wallMs).toISOString().slice(0, 16).replace('T', ' ')}`
}

/** Returns a time by the clocks of a zone for a person at a terminal, and in UTC (ISO 8601) for a pipe. */
export function shownTime(out: Output, atMs: number, zone = zoneOf(undefined)): string {
  return out.isTerminal ? timeText(atMs, zone) : new Date(atMs).toISOString()
}

/** Returns how long ago a time was, such as `3 h ago`, or its day if that was more than a month ago. */
export function agoText(atMs: number, nowMs = Date.now()): string {
  const ms = nowMs - atMs
  if (ms < unitsMs.m) return 'just now'
  if (ms < unitsMs.h) return `${Math.floor(ms / unitsMs.m)} min ago`
  if (ms < unitsMs.d) return `${Math.floor(ms / unitsMs.h)} h ago`
  return ms < 30 * unitsMs.d ? `${Math.floor(ms / unitsMs.d)} d ago` : dayText(atMs)
}

/** Returns a day such as `2027-01-31`, in UTC. */
export function dayText(timeMs: number | undefined): string {
  return timeMs === undefined ? 'never' : new Date(timeMs).toISOString().slice(0, 10)
}

/**
 * Parses a time that is over or begins now: a span such as `7d` before now, a day, or what `timeOf` takes with a day.
 *
 * @param what the option that it is, for errors.
 * @param edge which end of a day is meant.
 * @returns Unix time in milliseconds.
 */
export function pastTimeOf(
  text: string,
  { what, edge, zone }: { what: string; edge: 'start' | 'end'; zone: string },
  nowMs = Date.now(),
): number {
  const aheadMs = fromNow(text, nowMs)
  if (aheadMs !== undefined) return 2 * nowMs - aheadMs
  if (/^\d{4}-\d\d-\d\d$/.test(text) && isDay(text))
    return instantOf(Date.parse(text) + (edge === 'end' ? msPerDay : 0), zone, 'first')
  const atMs = text.includes('-') ? (ofClocks(text, zone, nowMs) ?? ofInstant(text)) : undefined
  if (atMs !== undefined) return atMs
  throw usage(
    `Unknown time ${JSON.stringify(text)} of ${what} (expected 2027-01-31, 2027-01-31 09:00, 2027-01-31T09:00Z, or 30m, 6h, 2d or 1w ago)`,
  )
}
