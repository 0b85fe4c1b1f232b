import { exit, CliError } from '../frame/cli-error.ts'

export interface Entry {
  readonly name: string
  readonly value: string
}

/** Reads what another tool wrote. `file` is for errors, which name file and line or key, and never quote a value. */
export type Reader = (text: string, file: string) => Entry[]

/** `where` such as `, line 3` or `, key A`. */
export function unreadable(file: string, where: string, what: string): CliError {
  return new CliError('INVALID_IMPORT', `${file}${where}: ${what}`, {
    status: exit.invalid,
    command: 'rollkey import --help',
  })
}
