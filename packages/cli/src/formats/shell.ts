import { refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** For `eval "$(…)"` and `. file` in any POSIX shell: between single quotes nothing but the quote itself is special. */
export function shell(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`)
    .join('')
}
