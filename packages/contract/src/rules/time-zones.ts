/**
 * Times of clocks in named zones, such as 17:00 in Europe/Berlin. `Intl` of the runtime knows the zones, so server, command line
 * and web application need no library. A *wall time* is what a clock shows, as the milliseconds at which a clock of UTC shows it.
 */

/** Milliseconds of a minute. */
export const msPerMinute = 60_000
/** Milliseconds of a day without a change of the clocks. */
export const msPerDay = 1_440 * msPerMinute

/** Days of the week, in the order of ISO 8601. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** A day of the week. */
export type Weekday = (typeof weekdays)[number]

/** Formats of the zones used lately, since creating one takes 20 times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>()
const maxFormats = 100

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formats.size >= maxFormats) formats.clear()
  formats.set(zone, format)
  return format
}

/**
 * Returns whether a text names a time zone (IANA, such as `Europe/Berlin` or `UTC`). An offset such as `+02:00` is not a name: it
 * would ignore daylight saving. Never throws.
 *
 * @example
 * isTimeZone('Europe/Berlin') // true
 */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w/+-]{1,63}$/.test(text)) return false
  try {
    formatOf(text)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the wall time of an instant: what the clocks of a zone show, as the milliseconds at which a clock of UTC shows it.
 * Never throws for a valid zone.
 *
 * @example
 * wallTimeOf(Date.parse('2027-01-12T08:00Z'), 'Europe/Berlin') // Date.parse('2027-01-12T09:00Z')
 */
export function wallTimeOf(atMs: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>
  const { year, month, day, hour, minute, second } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) + (atMs - Math.floor(atMs / 1_000) * 1_000)
}

/**
 * Returns the day of the week of a wall time, from 0 for Monday. Never throws.
 *
 * @example
 * dayNumberOf(Date.parse('2027-01-12T09:00Z')) // 1, a Tuesday
 */
export function dayNumberOf(wallMs: number): number {
  return (new Date(wallMs).getUTCDay() + 6) % 7
}

/**
 * Returns the first moment of the day of a wall time, as a wall time. Never throws.
 *
 * @example
 * startOfDay(Date.parse('2027-01-12T09:00Z')) // Date.parse('2027-01-12T00:00Z')
 */
export function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / msPerDay) * msPerDay
}

/**
 * Returns the minutes of a day at a time such as `09:00`, or undefined. Never throws.
 *
 * @example
 * minutesOfDay('09:30') // 570
 */
export function minutesOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/**
 * Returns the instant at which the clocks of a zone show a wall time. If they show it twice, `which` chooses. If they jump over it,
 * the instant is that of the jump: the first at which they are past it. Never throws for a valid zone.
 *
 * @example
 * instantOf(Date.parse('2027-01-12T09:00Z'), 'Europe/Berlin', 'first') // Date.parse('2027-01-12T08:00Z')
 */
export function instantOf(wallMs: number, zone: string, which: 'first' | 'last'): number {
  const offsetAt = (atMs: number): number => wallTimeOf(atMs, zone) - atMs
  // Offsets are at most 14 hours, so the clocks change between these two instants if they do so near the wall time.
  const [before, after] = [offsetAt(wallMs - msPerDay), offsetAt(wallMs + msPerDay)]
  const instants = [wallMs - before, wallMs - after].filter((atMs) => wallTimeOf(atMs, zone) === wallMs)
  if (instants.length > 0) return which === 'first' ? Math.min(...instants) : Math.max(...instants)
  let [earlier, later] = [wallMs - after, wallMs - before]
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2)
    if (wallTimeOf(middle, zone) < wallMs) earlier = middle
    else later = middle
  }
  return later
}
