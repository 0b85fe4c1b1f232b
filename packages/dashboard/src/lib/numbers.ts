/** Numbers for readers. */

/**
 * The locale of dates and numbers: the reader's, which is the browser's default. Words such as "3 hours ago" are in the
 * language of the application, because they are part of sentences.
 */
export const readerLocale: string | undefined = undefined

const whole = new Intl.NumberFormat(readerLocale, { maximumFractionDigits: 0 })
const shares = new Intl.NumberFormat(readerLocale, { maximumFractionDigits: 1 })
const chances = new Intl.NumberFormat(readerLocale, { maximumFractionDigits: 10 })
const compact = new Intl.NumberFormat(readerLocale, { notation: 'compact' })
const rough = new Intl.NumberFormat(readerLocale, { maximumSignificantDigits: 2 })
const size = new Intl.NumberFormat(readerLocale, { maximumSignificantDigits: 3 })

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats a count, such as "12,300". */
export function countText(count: number): string {
  return whole.format(count)
}

/** Formats a count in little room, such as "12K". */
export function compactText(count: number): string {
  return compact.format(count)
}

/** Formats an estimate with two digits, such as "12,000"; with all digits of `least`, where two would say less than that. */
export function roughText(count: number, least = 0): string {
  const rounded = Math.round(count)
  return Number(rounded.toPrecision(2)) < least ? countText(least) : rough.format(rounded)
}

/** Formats a share, such as "50.8%"; a dash if `all` is 0. */
export function shareText(part: number, all: number): string {
  return all === 0 ? '–' : `${shares.format((100 * part) / all)}%`
}

/** Formats a probability, such as "0.004". */
export function probabilityText(p: number, digits: 1 | 2 = 1): string {
  return new Intl.NumberFormat(readerLocale, {
    minimumSignificantDigits: digits,
    maximumSignificantDigits: digits,
  }).format(p)
}

/** Formats bytes in the decimal units of plans, such as "25 MB". */
export function bytesText(bytes: number): string {
  const step = Math.max(
    byteUnits.findLastIndex((_, at) => bytes >= 1_000 ** at),
    0,
  )
  return `${size.format(bytes / 1_000 ** step)}\u00a0${byteUnits[step]}`
}

/** Formats a chance, such as "20%". */
export function percentText(chance: number): string {
  return `${chances.format(percentOf(chance))}%`
}

/** Returns a chance in percent, without the noise of binary fractions. */
export function percentOf(chance: number): number {
  return Number((chance * 100).toPrecision(12))
}

/** Returns the chance of a percentage. */
export function chanceOf(percent: number): number {
  return Number((percent / 100).toPrecision(12))
}

/** Returns a text that stays on one line. */
export function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0')
}
