import type { DeclaredType } from '@rollkey/contract/rules'
import type { WriteEntry } from '@rollkey/sdk'
import { exit, CliError } from '../frame/cli-error.ts'

/** A secret of a file or of a store. */
export interface Entry {
  readonly name: string
  readonly value: string
  /** Its type; undefined where the source has none. */
  readonly declaredType?: DeclaredType
  /** What it is for; undefined where the source does not say. */
  readonly description?: string
  /** Its line, from 1; undefined where the format has no lines. */
  readonly line?: number
}

/** A variable to write. */
export interface Imported {
  readonly entry: WriteEntry
  /** Where it comes from, or how its source decides, for people; undefined for a file. */
  readonly details?: string
}

/** What a source has and this service cannot have alike, so that it is not imported. */
export interface Unmapped {
  readonly name: string
  readonly reasons: readonly string[]
}

/** What an import writes. */
export interface ImportResult {
  /** The variables, each name once. */
  readonly variables: readonly Imported[]
  readonly unmapped: readonly Unmapped[]
  /** Notices for the user, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Reads the file of another tool. `file` names it in errors, which show the file and line or key but never a value. `note` tells the user
 * in a sentence what was left out.
 */
export type Reader = (text: string, file: string, note: (sentence: string) => void) => Entry[]

/** Returns the write of a secret. */
export function secretOf({ name, value, declaredType, description }: Entry): WriteEntry {
  return {
    kind: 'secret',
    name,
    value,
    ...(declaredType !== undefined && { declaredType }),
    ...(description !== undefined && { description }),
  }
}

/** Returns the error for a file that cannot be imported. `where` is a text such as `, line 3` or `, key A`. */
export function unreadable(file: string, where: string, what: string): CliError {
  return new CliError('INVALID_IMPORT', `${file}${where}: ${what}`, {
    status: exit.invalid,
    command: 'rollkey import --help',
  })
}
