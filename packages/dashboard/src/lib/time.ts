/** Points in time and durations for readers. */
import { readerLocale } from './numbers.ts'

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const narrow = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'narrow' })
const date = new Intl.DateTimeFormat(readerLocale, { dateStyle: 'medium' })
const absolute = new Intl.DateTimeFormat(readerLocale, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})
const exact = new Intl.DateTimeFormat(readerLocale, { dateStyle: 'medium', timeStyle: 'long' })
const zone = new Intl.DateTimeFormat(readerLocale, { timeZoneName: 'short' })
const clock = new Intl.DateTimeFormat(readerLocale, { timeStyle: 'short' })
const dayOfYear = new Intl.DateTimeFormat(readerLocale, { month: 'short', day: 'numeric' })
const hourOfDay = new Intl.DateTimeFormat(readerLocale, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

const dayOfUtc = new Intl.DateTimeFormat(readerLocale, { month: 'short', day: 'numeric', timeZone: 'UTC' })
const monthOfUtc = new Intl.DateTimeFormat(readerLocale, { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Units, and from which distance on each is used: hours up to two days, since a day more or less matters then. */
const units = [
  ['day', 86_400_000, 2 * 86_400_000],
  ['hour', 3_600_000, 3_600_000],
  ['minute', 60_000, 60_000],
] as const

/** Returns how many whole units a distance has, so that nothing looks later than it is. Undefined: less than a minute. */
function wholeUnits(distanceMs: number) {
  const [unit, length] = units.find(([, , leastMs]) => Math.abs(distanceMs) >= leastMs) ?? []
  if (length === undefined) return undefined
  // What was 30 days a moment ago is not 29 yet.
  const count = Math.floor(Math.abs(distanceMs) / length + 1 / 24)
  return { unit, count: Math.sign(distanceMs) * count }
}

/** Formats a time relative to the present, such as "5 minutes ago" or "in 2 days". */
export function relativeTime(timeMs: number, nowMs: number): string {
  const distance = timeMs - nowMs
  const whole = wholeUnits(distance)
  // "now" or "this minute"
  if (!whole) return relative.format(0, distance <= 0 ? 'second' : 'minute')
  return relative.format(whole.count, whole.unit)
}

/** Returns how long something lasts, such as "6 days" or "5 min". */
export function durationText(durationMs: number): string {
  const whole = wholeUnits(durationMs)
  return whole ? unitText(whole.count, whole.unit) : `< ${unitText(1, 'minute')}`
}

/** Formats seconds, such as "30 sec". */
export function secondsText(seconds: number): string {
  return unitText(seconds, 'second')
}

function unitText(count: number, unit: 'day' | 'hour' | 'minute' | 'second'): string {
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'short' }).format(count)
}

/** Names a day relative to today, such as "Today" or "Yesterday". */
export function relativeDay(days: number): string {
  const text = relative.format(days, 'day')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Formats a time for a field of date and time in the reader's zone, such as "2026-11-22T14:30". */
export function localTime(timeMs: number): string {
  const offsetMs = new Date(timeMs).getTimezoneOffset() * 60_000
  return new Date(timeMs - offsetMs).toISOString().slice(0, 16)
}

/** Names the reader's time zone, such as "GMT+1". */
export function zoneName(timeMs: number): string {
  return zone.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** Formats a past time, such as "5 minutes ago", even if the clock of another machine is ahead. */
export function pastTime(timeMs: number, nowMs: number): string {
  return relativeTime(Math.min(timeMs, nowMs), nowMs)
}

/** Formats a past time in little room, such as "3h ago". */
export function shortPastTime(timeMs: number, nowMs: number): string {
  const whole = wholeUnits(Math.min(timeMs, nowMs) - nowMs)
  return whole ? narrow.format(whole.count, whole.unit) : relative.format(0, 'second')
}

/** Formats a time with its zone, such as "Nov 21, 2026, 2:05 PM GMT+1". */
export function absoluteTime(timeMs: number): string {
  return absolute.format(timeMs)
}

/** Formats a time with seconds and zone, such as "Nov 21, 2026, 2:05:09 PM GMT+1". */
export function exactTime(timeMs: number): string {
  return exact.format(timeMs)
}

/** Formats a time by the clocks of a named zone, such as "Tue, Jan 12, 2027, 9:00 AM GMT+1". */
export function timeInZone(timeMs: number, timeZone: string): string {
  return new Intl.DateTimeFormat(readerLocale, {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(timeMs)
}

/** Returns the reader's time zone, such as "Europe/Berlin". */
export function readerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Formats the time of day, such as "2:05 PM". */
export function clockTime(timeMs: number): string {
  return clock.format(timeMs)
}

export function absoluteDate(timeMs: number): string {
  return date.format(timeMs)
}

/** Formats a day, such as "Nov 21". */
export function dayText(timeMs: number): string {
  return dayOfYear.format(timeMs)
}

/** Formats an hour, such as "Nov 21, 14:00". */
export function hourText(timeMs: number): string {
  return hourOfDay.format(timeMs)
}

/** Formats a day in UTC, such as "Nov 21". */
export function utcDayText(timeMs: number): string {
  return dayOfUtc.format(timeMs)
}

/** Formats a month in UTC, such as "Nov 2026". */
export function utcMonthText(timeMs: number): string {
  return monthOfUtc.format(timeMs)
}
