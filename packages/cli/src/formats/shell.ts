import { refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** Writes lines for `eval "$(…)"` and `. file` in any POSIX shell. Between single quotes, only the quote itself is special. */
export function shell(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`)
    .join('')
}
