import { exit, CliError } from '../frame/cli-error.ts'

export interface Entry {
  readonly name: string
  readonly value: string
}

/** Reads the file of another tool. `file` names it in errors, which show the file and line or key but never a value. */
export type Reader = (text: string, file: string) => Entry[]

/** Returns the error for a file that cannot be imported. `where` is a text such as `, line 3` or `, key A`. */
export function unreadable(file: string, where: string, what: string): CliError {
  return new CliError('INVALID_IMPORT', `${file}${where}: ${what}`, {
    status: exit.invalid,
    command: 'rollkey import --help',
  })
}
