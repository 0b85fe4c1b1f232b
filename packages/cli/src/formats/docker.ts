import { instead, refuse, refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** The reader's limit of a line (`bufio.MaxScanTokenSize`), whose end counts. */
const maxLineBytes = 64 * 1024 - 1

/** Newer readers take such a pair of quotes away, older ones keep it. */
const isQuoted = /^(['"])[^]*\1$/

/** Nothing is quoted or escaped: a value is what follows the equals sign, to the end of the line. */
function isHeld(line: string, value: string): boolean {
  return !/[\r\n]/.test(value) && !isQuoted.test(value) && Buffer.byteLength(line) <= maxLineBytes
}

/** For `docker run --env-file`. Compose reads its `env_file` by different rules. */
export function docker(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  const lines = Object.entries(variables).map(([name, value]) => ({ name, value, line: `${name}=${value}` }))
  const refused = lines.filter(({ line, value }) => !isHeld(line, value)).map(({ name }) => name)
  refuse('INVALID_VALUE', refused, 'A docker env-file cannot hold the value of', instead)
  return lines.map(({ line }) => `${line}\n`).join('')
}
