import { readFileSync, statSync } from 'node:fs'

/** Returns the text of a key file. Throws if the file is missing or others can read it. `what` names it in the error. */
export function readPrivateFile(file: string, what: string): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) throw new Error(`The ${what} ${file} is missing: restore it from your copy.`)
  if (stats.mode & 0o077) throw new Error(`Others can read the ${what} ${file}: run chmod 600 ${file}.`)
  return readFileSync(file, 'utf8')
}
