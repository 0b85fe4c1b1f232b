import { instead, refuse, refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** Without quotes, whatever follows a value: nothing that a shell or another reader of such files could take for more. */
const harmless = /^[A-Za-z0-9_.:/@+-]*$/

/** White space at the ends, a comment, a line break or a leading quote would make the reader change it without quotes. */
const plainLine = /^(?![\s'"`])[^#\n\r\u2028\u2029]*(?<!\s)$/

/**
 * The value as the npm package dotenv reads it back, or undefined if that knows no way to write it. Between quotes nothing is an
 * escape but \n and \r, and those between double quotes only; so a quote cannot stand in its own kind, and a backslash before
 * the closing quote would hide it. A carriage return is read only as \r, since the reader makes a line feed of a real one.
 */
function quoted(value: string): string | undefined {
  if (harmless.test(value)) return value
  if (!value.endsWith('\\')) {
    if (!value.includes('\r')) {
      if (!value.includes("'")) return `'${value}'`
      // Shells, Python and Node read this alike; backticks are known to the npm package and to Node alone.
      if (!/["\\$`]/.test(value)) return `"${value}"`
      if (!value.includes('`')) return `\`${value}\``
    }
    if (!value.includes('"') && !/\\[nr]/.test(value)) return `"${value.replaceAll('\r', '\\r')}"`
  }
  return plainLine.test(value) ? value : undefined
}

/** `NAME=value` lines for the npm package dotenv and those who read like it. */
export function dotenv(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  const lines = Object.entries(variables).map(([name, value]) => [name, quoted(value)] as const)
  const refused = lines.filter(([, text]) => text === undefined).map(([name]) => name)
  refuse('INVALID_VALUE', refused, 'A dotenv file cannot hold the value of', instead)
  return lines.map(([name, text]) => `${name}=${text}\n`).join('')
}
