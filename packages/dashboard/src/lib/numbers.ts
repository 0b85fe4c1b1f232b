/** Numbers as people read them. */
/**
 * The locale of dates and numbers: the reader's, which is the browser's default. Words such as "3 hours ago" are part of
 * sentences and stay in the language of the application.
 */
export const readerLocale: string | undefined = undefined

const whole = new Intl.NumberFormat(readerLocale, { maximumFractionDigits: 0 })
const percent = new Intl.NumberFormat(readerLocale, { maximumFractionDigits: 1 })
const size = new Intl.NumberFormat(readerLocale, { maximumSignificantDigits: 3 })

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Such as "12,300". */
export function countText(count: number): string {
  return whole.format(count)
}

/** Such as "50.8 %"; of nothing, a dash. */
export function shareText(part: number, all: number): string {
  return all === 0 ? '–' : `${percent.format((100 * part) / all)}\u00a0%`
}

/** Such as "25 MB", in the decimal units that plans are stated in. */
export function bytesText(bytes: number): string {
  const step = byteUnits.findLastIndex((_, at) => bytes >= 1_000 ** at)
  return bytes < 1_000
    ? `${whole.format(bytes)}\u00a0bytes`
    : `${size.format(bytes / 1_000 ** step)}\u00a0${byteUnits[step]}`
}
