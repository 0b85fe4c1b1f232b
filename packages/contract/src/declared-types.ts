/**
 * The declared types and the form of their values. Values are sent and stored as text. The service checks these rules when
 * a value is written (docs/api.md, "Variables").
 */

const int64Text = /^-?(0|[1-9][0-9]*)$/
const int64Longest = '-9223372036854775808'.length
const numberText = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/
const dateText = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2})))?$/

function isInt64(text: string): boolean {
  if (text.length > int64Longest || !int64Text.test(text) || text === '-0') return false
  const number = BigInt(text)
  return BigInt.asIntN(64, number) === number
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Checks an RFC 3339 `full-date` or `date-time`. Section 5.7 has the ranges. Leap seconds end a UTC day in June or December. */
function isDate(text: string): boolean {
  const match = dateText.exec(text)
  if (!match) return false
  const [year, month, day, hour, minute, second, zoneHour, zoneMinute] = match
    .slice(1)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number, number]
  const calendar = new Date(0)
  calendar.setUTCFullYear(year, month - 1, day)
  if (calendar.getUTCMonth() !== month - 1 || calendar.getUTCDate() !== day) return false
  if (hour > 23 || minute > 59 || zoneHour > 23 || zoneMinute > 59) return false
  return second <= 59 || (second === 60 && isLeapSecond(text))
}

function isLeapSecond(text: string): boolean {
  // The same instant one second earlier must be 23:59:59 UTC on the last day of June or December.
  const before = new Date(text.toUpperCase().replace(/:60(\.\d+)?/, ':59'))
  const after = new Date(before.getTime() + 1_000)
  return (
    after.getUTCHours() === 0 &&
    after.getUTCDate() === 1 &&
    [0, 6].includes(after.getUTCMonth()) &&
    after.getUTCMinutes() === 0 &&
    after.getUTCSeconds() === 0
  )
}

/** Checks of each declared type: whether a text is a value of that type. */
const checks = {
  string: () => true,
  boolean: (text) => text === 'true' || text === 'false',
  int64: isInt64,
  float: (text) => numberText.test(text) && Number.isFinite(Number(text)),
  date: isDate,
  json: isJson,
} satisfies Record<string, (text: string) => boolean>

/** What the text of a variable must parse as. */
export type DeclaredType = keyof typeof checks

/** All declared types. A variable without one is a `string`. */
export const declaredTypes = Object.keys(checks) as [DeclaredType, ...DeclaredType[]]

/**
 * Returns whether a text is a value of the declared type. Dates are RFC 3339, section 5.6, and JSON is RFC 8259. Never throws.
 *
 * @example
 * isOfDeclaredType('int64', '25') // true
 * isOfDeclaredType('date', '2027-02-29') // false: 2027 is not a leap year
 */
export function isOfDeclaredType(type: DeclaredType, value: string): boolean {
  return checks[type](value)
}
