import { instead, refuse, refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** Values that need no quotes: no shell or other reader of such files gives these characters a meaning. */
const harmless = /^[A-Za-z0-9_.:/@+-]*$/

/** Values that the reader returns unchanged without quotes: no white space at the ends, comment, line break or leading quote. */
const plainLine = /^(?![\s'"`])[^#\n\r\u2028\u2029]*(?<!\s)$/

/**
 * Quotes a value so that the npm package dotenv reads it back, or returns undefined if that is impossible. The only escapes
 * are \n and \r, and only between double quotes. A quote cannot appear within its own kind, and a backslash before the
 * closing quote would hide that quote. A carriage return must be written as \r, since the reader turns a real one into a line
 * feed.
 */
function quoted(value: string): string | undefined {
  if (harmless.test(value)) return value
  if (!value.endsWith('\\')) {
    if (!value.includes('\r')) {
      if (!value.includes("'")) return `'${value}'`
      // Shells, Python and Node all read double quotes. Only the npm package and Node read backticks.
      if (!/["\\$`]/.test(value)) return `"${value}"`
      if (!value.includes('`')) return `\`${value}\``
    }
    if (!value.includes('"') && !/\\[nr]/.test(value)) return `"${value.replaceAll('\r', '\\r')}"`
  }
  return plainLine.test(value) ? value : undefined
}

/** Writes `NAME=value` lines for the npm package dotenv and compatible readers. */
export function dotenv(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  const lines = Object.entries(variables).map(([name, value]) => [name, quoted(value)] as const)
  const refused = lines.filter(([, text]) => text === undefined).map(([name]) => name)
  refuse('INVALID_VALUE', refused, 'A dotenv file cannot hold the value of', instead)
  return lines.map(([name, text]) => `${name}=${text}\n`).join('')
}
