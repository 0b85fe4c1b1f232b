/** Options that the commands for trusts share. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { usage } from './cli-error.ts'

export const roles = ['viewer', 'reader', 'developer'] as const

export function machineRoleOf(role: string): (typeof roles)[number] {
  const found = roles.find((each) => each === role)
  if (!found) throw usage(`Unknown --role ${JSON.stringify(role)} (expected ${roles.join(', ')})`)
  return found
}

/** Returns the claims of `--claim name=value`. */
export function claimsOf(texts: readonly string[]): { name: string; value: string }[] {
  return texts.map((text) => pairOf(text, '--claim')).map(([name, value]) => ({ name, value }))
}

export function pairOf(text: string, flag: string): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`${flag} ${JSON.stringify(text)} is not a pair (expected name=value)`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Returns the seconds of `--minutes`. */
export function secondsOf(minutes: string): number {
  const seconds = Number(minutes) * 60
  if (Number.isInteger(seconds) && seconds >= 60 && seconds <= 3_600) return seconds
  throw usage('--minutes must be a number from 1 to 60')
}

/** Returns the content of a file, whose path begins in the folder `cwd`. */
export function readText(cwd: string, file: string): string {
  try {
    return readFileSync(path.resolve(cwd, file), 'utf8')
  } catch (error) {
    throw usage(`The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
