/** Usage and the limits of the plan, in words. */
import { countText } from '../../lib/numbers.ts'
import { utcDayText } from '../../lib/time.ts'
import { forecast, type Month, type Used } from './usage.ts'

const rough = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 })

/** Such as "12,300 of 100,000", or without a limit "12,300". */
export function amountText(used: number, limit: number | undefined, text: (amount: number) => string): string {
  return limit === undefined ? text(used) : `${text(used)} of ${text(limit)}`
}

/** Such as "12,300 of 100,000 so far; at this pace about 37,000 by the end of the month." */
export function monthSentence(month: Month & Used, limit: number | undefined, nowMs: number): string {
  const expected = forecast(month, nowMs)
  const pace =
    expected === undefined ? '' : `; at this pace about ${rough.format(Math.round(expected))} by the end of the month`
  return `${amountText(month.evaluations, limit, countText)} so far${pace}.`
}

/** When the limit is reached at the pace so far, if that is this month. */
export function limitDay(month: Month & Used, limit: number | undefined, nowMs: number): string | undefined {
  const expected = forecast(month, nowMs)
  if (limit === undefined || expected === undefined || expected <= limit) return undefined
  return utcDayText(month.startMs + ((month.endMs - month.startMs) * limit) / expected)
}
