import { readFileSync } from 'node:fs'
import { CommandRefused } from './command.ts'

/** The secret half in a key file as `backup-key` or age-keygen writes it. Throws CommandRefused. */
export function identityIn(file: string): string {
  const line = textOf(file)
    .split('\n')
    .find((each) => each.startsWith('AGE-SECRET-KEY-'))
  if (line === undefined) throw new CommandRefused(`${file} is no backup key: it has no line AGE-SECRET-KEY-….`)
  return line.trim()
}

/** Throws CommandRefused. */
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
