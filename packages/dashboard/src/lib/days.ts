/** Days of the reader's time zone. */
import { readerLocale } from './numbers.ts'
import { relativeDay } from './time.ts'

const weekday = new Intl.DateTimeFormat(readerLocale, { weekday: 'short', day: 'numeric', month: 'short' })
const dayAndYear = new Intl.DateTimeFormat(readerLocale, { day: 'numeric', month: 'short', year: 'numeric' })

/** Returns the first moment of the day that is some days later than that of the time. */
export function startOfDay(timeMs: number, daysLater = 0): number {
  const start = new Date(timeMs)
  start.setHours(0, 0, 0, 0)
  // A day may have 23 or 25 hours.
  return start.setDate(start.getDate() + daysLater)
}

/** Returns "Today", "Yesterday", or a date such as "Mon, Nov 16", with the year where it is another one. */
export function dayHeading(timeMs: number, nowMs: number): string {
  const day = startOfDay(timeMs)
  // The clocks of two machines may differ.
  if (day >= startOfDay(nowMs)) return relativeDay(0)
  if (day === startOfDay(nowMs, -1)) return relativeDay(-1)
  const isThisYear = new Date(timeMs).getFullYear() === new Date(nowMs).getFullYear()
  return (isThisYear ? weekday : dayAndYear).format(timeMs)
}

interface Day<Item> {
  readonly heading: string
  readonly items: readonly Item[]
}

/** Groups what happened by day. The order stays. */
export function byDay<Item>(items: readonly Item[], msOf: (item: Item) => number, nowMs: number): readonly Day<Item>[] {
  const days = Map.groupBy(items, (item) => dayHeading(msOf(item), nowMs))
  return [...days].map(([heading, group]) => ({ heading, items: group }))
}
