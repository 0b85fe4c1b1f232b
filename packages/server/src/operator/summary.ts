/**
 * The text of a result for a person at a terminal: a row for each field, and a table for each list. Units come from the names of the
 * fields: `…AtMs` is a time, `…Ms` and `…Seconds` are durations, and `…bytes` is a size.
 */
import { styleText } from 'node:util'
import { withoutHiddenCharacters } from '@rollkey/contract/rules'

type Fields = Readonly<Record<string, unknown>>

/** A field of one line: its label, its text and, if it says whether something is well, that. */
interface Row {
  readonly label: string
  readonly text: string
  readonly good?: boolean | undefined
}

const labels: Readonly<Record<string, string>> = {
  good: 'result',
  serving: 'service running',
  bytes: 'size',
  idpUserId: 'user',
}
const gap = '  '

/** Returns a text of others on one line, without what a terminal interprets. */
function printable(text: string): string {
  return withoutHiddenCharacters(text.replaceAll(/\s+/g, ' '))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Returns `last used` for `lastUsedAtMs`. A name that is not of the source, such as that of a key, stays. */
function labelOf(name: string): string {
  if (!/^[a-z]+(?:[A-Z][a-z]*)*$/.test(name)) return printable(name)
  const label = name.replace(/^is(?=[A-Z])|(?:At)?Ms$|Seconds$|Slug$|(?<=[a-z])Bytes$/g, '')
  return labels[name] ?? label.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trimStart()
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Returns a duration in its largest unit, such as `3 h`. */
function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`
}

function sizeOf(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${Number((bytes / 1_000 ** power).toFixed(1))} ${units[power]}`
}

function numberOf(name: string, value: number): string {
  if (/(?:^a|A)tMs$/.test(name)) return timeOf(value)
  if (name.endsWith('Ms')) return durationOf(value)
  if (name.endsWith('Seconds')) return durationOf(value * 1_000)
  if (/bytes$/i.test(name)) return sizeOf(value)
  return value.toLocaleString('en')
}

/** Returns the text of a field that has no lists of objects. */
function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (name === 'good') return value === true ? 'ok' : 'failed'
  if (typeof value === 'number') return numberOf(name, value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (isList(value)) return value.length === 0 ? 'none' : value.map((each) => textOf(name, each)).join(', ')
  if (isFields(value))
    return rowsOf(value)
      .map(({ label, text }) => `${label} ${text}`)
      .join(', ')
  return printable(typeof value === 'string' ? value : JSON.stringify(value))
}

function goodOf(name: string, value: unknown): boolean | undefined {
  if (name === 'good') return value === true
  const isProblem = /^problems?$/.test(name) && value !== null && (!isList(value) || value.length > 0)
  return isProblem ? false : undefined
}

/** Returns the rows of the fields, and of the fields in them. */
function rowsOf(fields: Fields, group = ''): Row[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const label = `${group}${labelOf(name)}`
    if (isFields(value) && Object.keys(value).length > 0) return rowsOf(value, `${label} `)
    return [{ label, text: textOf(name, value), good: goodOf(name, value) }]
  })
}

function colored(text: string, good: boolean | undefined): string {
  return good === undefined ? text : styleText(good ? 'green' : 'red', text)
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length))
}

function recordOf(fields: Fields): string {
  const rows = rowsOf(fields)
  const width = widthOf(rows.map(({ label }) => label))
  return rows
    .map(({ label, text, good }) => `${styleText('gray', label.padEnd(width))}${gap}${colored(text, good)}\n`)
    .join('')
}

/** Returns the items as a table, or each as a record if a row of the table is longer than a line. */
function tableOf(items: readonly Fields[], columns: number): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const cells = names.map((name) => [labelOf(name).toUpperCase(), ...items.map((item) => textOf(name, item[name]))])
  const widths = cells.map(widthOf)
  if (widths.reduce((sum, width) => sum + width + gap.length, -gap.length) > columns)
    return items.map(recordOf).join('\n')
  const lines = ['', ...items].map((_, row) =>
    cells
      .map((texts, index) => (texts[row] ?? '').padEnd(widths[index] ?? 0))
      .join(gap)
      .trimEnd(),
  )
  return lines.map((line, row) => `${row === 0 ? styleText('bold', line) : line}\n`).join('')
}

function isTable(value: unknown): value is readonly Fields[] {
  return isList(value) && value.length > 0 && value.every(isFields)
}

/** Returns the text of a result for a terminal with this number of columns. */
export function summaryOf(result: unknown, columns = 80): string {
  if (isTable(result)) {
    const isNested = result.some((item) => Object.values(item).some(isTable))
    return isNested ? result.map((item) => summaryOf(item, columns)).join('\n') : tableOf(result, columns)
  }
  if (!isFields(result)) return `${textOf('', result)}\n`
  const entries = Object.entries(result)
  const fields = Object.fromEntries(entries.filter(([, value]) => !isTable(value)))
  const tables = entries.flatMap(([name, value]) =>
    isTable(value) ? [`${styleText('bold', labelOf(name))}\n${tableOf(value, columns)}`] : [],
  )
  return [...(Object.keys(fields).length > 0 ? [recordOf(fields)] : []), ...tables].join('\n')
}
