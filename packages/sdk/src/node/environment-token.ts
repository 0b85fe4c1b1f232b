import { readFileSync } from 'node:fs'
import { RollkeyError } from '../errors.ts'
import type { Environment } from './environment.ts'

/**
 * Returns the token in the environment variable `name`, or in the file that `name`_FILE names; undefined if neither is set. Throws
 * INVALID_SETTING if the token is empty or the file cannot be read.
 */
export function tokenIn(env: Environment, name: 'ROLLKEY_TOKEN' | 'ROLLKEY_ID_TOKEN'): string | undefined {
  const token = env[name]
  if (token !== undefined) return nonEmpty(token, name)
  const file = env[`${name}_FILE`]
  return file === undefined ? undefined : nonEmpty(textOf(file, name), `the file ${file} (${name}_FILE)`)
}

function textOf(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new RollkeyError(
      'INVALID_SETTING',
      `The file ${file} cannot be read (${code}). Set ${name}_FILE to a readable file, or unset it.`,
    )
  }
}

/** Returns a token without the line break of a file. Throws if it is empty: another token may belong to someone else. */
function nonEmpty(text: string, where: string): string {
  const token = text.trim()
  if (token !== '') return token
  throw new RollkeyError('INVALID_SETTING', `No token in ${where}: it is empty. Set a token, or unset it.`)
}
