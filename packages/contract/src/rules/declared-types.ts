/**
 * The declared types and the form of their values. Values are sent and stored as text. The service checks these rules when
 * a value is written, and the SDK parses what it reads (docs/api.md, "Variables").
 */

/** A parsed JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * A parsed value. By declared type: `string` and untyped: string, `boolean`: boolean, `int64`: bigint, `float`: number,
 * `date`: Date, `json`: Json.
 */
export type Value = Json | bigint | Date

const int64Text = /^-?(0|[1-9][0-9]*)$/
const numberText = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/
const dateText = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2})))?$/
const minuteMs = 60_000

function booleanOf(text: string): boolean | undefined {
  if (text === 'true') return true
  return text === 'false' ? false : undefined
}

function int64Of(text: string): bigint | undefined {
  if (text.length > 20 || !int64Text.test(text) || text === '-0') return undefined
  const number = BigInt(text)
  return BigInt.asIntN(64, number) === number ? number : undefined
}

function floatOf(text: string): number | undefined {
  const number = numberText.test(text) ? Number(text) : NaN
  return Number.isFinite(number) ? number : undefined
}

/**
 * Parses an RFC 3339 `full-date` or `date-time`; section 5.7 has the ranges. Engines differ in what `new Date(text)` accepts.
 * A leap second becomes the second after it.
 */
function dateOf(text: string): Date | undefined {
  const match = dateText.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = numbersOf(match.slice(1, 7)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [, , , , , , , fraction = '', sign, ...zone] = match
  const [zoneHour, zoneMinute] = numbersOf(zone) as [number, number]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return undefined
  const east = (sign === '-' ? -1 : 1) * (zoneHour * 60 + zoneMinute)
  date.setTime(date.getTime() + (hour * 60 + minute - east) * minuteMs + second * 1_000)
  if (second === 60 && !isLeapSecond(date)) return undefined
  date.setTime(date.getTime() + Number(fraction.slice(0, 3).padEnd(3, '0')))
  return date
}

function numbersOf(parts: readonly (string | undefined)[]): number[] {
  return parts.map((part) => Number(part ?? 0))
}

/** Leap seconds end a UTC day in June or December, so the next second is midnight of the first day of a half-year. */
function isLeapSecond(after: Date): boolean {
  return after.getTime() % (24 * 60 * minuteMs) === 0 && after.getUTCDate() === 1 && after.getUTCMonth() % 6 === 0
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const parsers = {
  string: (text) => text,
  boolean: booleanOf,
  int64: int64Of,
  float: floatOf,
  date: dateOf,
  json: jsonOf,
} satisfies Record<string, (text: string) => Value | undefined>

/** What the text of a variable must parse as. */
export type DeclaredType = keyof typeof parsers

/** The type of the parsed values of each declared type. */
export type ValueTypes = { [Type in DeclaredType]: Exclude<ReturnType<(typeof parsers)[Type]>, undefined> }

/** All declared types. A variable without one is a `string`. */
export const declaredTypes = Object.keys(parsers) as [DeclaredType, ...DeclaredType[]]

const requirements: Readonly<Record<DeclaredType, string>> = {
  string: 'text',
  boolean: 'true or false',
  int64: 'a whole number (int64)',
  float: 'a number (float)',
  date: 'a date such as 2027-01-31 or 2027-01-31T09:00:00Z',
  json: 'JSON',
}

/**
 * Returns what a value of the declared type must be, as the end of an error. Never throws.
 *
 * @example
 * requirementOf('int64') // 'a whole number (int64)'
 */
export function requirementOf(type: DeclaredType): string {
  return requirements[type]
}

/**
 * Parses a text. Returns undefined if the text is not of the type, or if this version does not know the type.
 * Never throws.
 *
 * @example
 * parseDeclared('int64', '25') // 25n
 */
export function parseDeclared(type: DeclaredType, text: string): Value | undefined {
  if (typeof text !== 'string' || !Object.hasOwn(parsers, type)) return undefined
  return parsers[type](text)
}

/**
 * Returns whether a text is a value of the declared type. Dates are RFC 3339, section 5.6, and JSON is RFC 8259. Never throws.
 *
 * @example
 * isOfDeclaredType('int64', '25') // true
 * isOfDeclaredType('date', '2027-02-29') // false: 2027 is not a leap year
 */
export function isOfDeclaredType(type: DeclaredType, text: string): boolean {
  return parseDeclared(type, text) !== undefined
}
