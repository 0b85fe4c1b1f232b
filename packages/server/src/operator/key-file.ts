import { readFileSync } from 'node:fs'
import { CommandError } from './command-error.ts'

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
