import { exit, CliError } from '../frame/cli-error.ts'

export interface Entry {
  readonly name: string
  readonly value: string
  /** Its line, from 1; undefined where the format has no lines. */
  readonly line?: number
}

/**
 * Reads the file of another tool. `file` names it in errors, which show the file and line or key but never a value. `note` tells the user
 * in a sentence what was left out.
 */
export type Reader = (text: string, file: string, note: (sentence: string) => void) => Entry[]

/** Returns the error for a file that cannot be imported. `where` is a text such as `, line 3` or `, key A`. */
export function unreadable(file: string, where: string, what: string): CliError {
  return new CliError('INVALID_IMPORT', `${file}${where}: ${what}`, {
    status: exit.invalid,
    command: 'rollkey import --help',
  })
}
