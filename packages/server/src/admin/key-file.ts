import { readFileSync } from 'node:fs'
import { CommandRefused } from './command.ts'

/** Returns the secret key in a key file that `backup-key` or age-keygen wrote. Throws CommandRefused. */
export function identityIn(file: string): string {
  const line = textOf(file)
    .split('\n')
    .find((each) => each.startsWith('AGE-SECRET-KEY-'))
  if (line === undefined)
    throw new CommandRefused(
      `${file} is not a backup key (expected a line AGE-SECRET-KEY-…): use the file that backup-key wrote.`,
    )
  return line.trim()
}

/** Returns the text of a file. Throws CommandRefused. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw notReadable(file, error)
  }
}

export function notReadable(file: string, error: unknown): CommandRefused {
  return new CommandRefused(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
}
