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

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Formats a time relative to the present, such as "5 minutes ago" or "in 2 days". */
export function relativeTime(timeMs: number, nowMs: number): string {
  const distance = timeMs - nowMs
  const unit = units.find(([, length]) => Math.abs(distance) >= length)
  if (!unit) return distance <= 0 ? 'just now' : 'in less than a minute'
  return relative.format(Math.round(distance / unit[1]), unit[0])
}

/** Returns how long something lasts, such as "6 days" or "5 min". */
export function durationText(durationMs: number): string {
  const unit = units.find(([, length]) => durationMs >= length)
  if (!unit) return '< 1 min'
  return new Intl.NumberFormat('en', { style: 'unit', unit: unit[0], unitDisplay: 'short' }).format(
    Math.floor(durationMs / unit[1]),
  )
}

/** Formats a past time, such as "5 minutes ago", even if the clock of another machine is ahead. */
export function pastTime(timeMs: number, nowMs: number): string {
  return relativeTime(Math.min(timeMs, nowMs), nowMs)
}

/** Formats a past time in little room, such as "3h ago". */
export function shortPastTime(timeMs: number, nowMs: number): string {
  const distance = Math.min(timeMs, nowMs) - nowMs
  const unit = units.find(([, length]) => -distance >= length)
  return unit ? narrow.format(Math.round(distance / unit[1]), unit[0]) : 'just now'
}

/** Formats a time with its zone, such as "Nov 21, 2026, 2:05 PM GMT+1". */
export function absoluteTime(timeMs: number): string {
  return absolute.format(timeMs)
}

/** Formats a time with seconds and zone, such as "Nov 21, 2026, 2:05:09 PM GMT+1". */
export function exactTime(timeMs: number): string {
  return exact.format(timeMs)
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
