import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { BadAgeKey, encryptFor } from '../backup/age.ts'
import { CommandError, usage } from './command-error.ts'

/** Returns a function that encrypts for the public key of the option --recipient of the command. Throws CommandError. */
export function encryptForOption(recipient: string, command: string): Promise<(plain: Readable) => Promise<Readable>> {
  return encryptFor(recipient, '--recipient').catch((error: unknown) => {
    throw error instanceof BadAgeKey ? usage(error.message, command) : error
  })
}

/** Returns the secret key in a key file that `backup new-key` or age-keygen wrote. Throws CommandError. */
export function readIdentity(file: string): string {
  const line = readBytes(file)
    .toString()
    .split('\n')
    .find((each) => each.startsWith('AGE-SECRET-KEY-'))
  if (line === undefined)
    throw new CommandError(
      'INVALID_FILE',
      `${file} is not a backup key (expected a line AGE-SECRET-KEY-…): use the file that backup new-key wrote.`,
    )
  return line.trim()
}

/** Returns the bytes of a file. Throws CommandError. */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw readError(file, error)
  }
}

export function readError(file: string, error: unknown): CommandError {
  const { code } = error as NodeJS.ErrnoException
  return new CommandError(
    code === 'ENOENT' ? 'NOT_FOUND' : 'NOT_READ',
    `${file} cannot be read (${code}): check its name and permissions.`,
  )
}
