import { jsonCommand, refuse, refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** Maximum length of a line for the reader (`bufio.MaxScanTokenSize`), without the line break, which counts. */
const maxLineBytes = 64 * 1024 - 1

/** Matches a pair of quotes around a value. Newer readers remove it, older ones keep it. */
const isQuoted = /^(['"])[^]*\1$/

/** Returns whether a line can represent a value. The format has no quotes or escapes: a value ends with its line. */
function fitsOnLine(line: string, value: string): boolean {
  return !/[\r\n]/.test(value) && !isQuoted.test(value) && Buffer.byteLength(line) <= maxLineBytes
}

/** Writes the format of `docker run --env-file`. Compose reads its `env_file` by different rules. */
export function docker(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  const lines = Object.entries(variables).map(([name, value]) => ({ name, value, line: `${name}=${value}` }))
  const refused = lines.filter(({ line, value }) => !fitsOnLine(line, value)).map(({ name }) => name)
  refuse('INVALID_VALUE', refused, 'A docker env-file cannot hold the value of', jsonCommand)
  return lines.map(({ line }) => `${line}\n`).join('')
}
