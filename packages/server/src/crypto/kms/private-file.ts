import { readFileSync, statSync } from 'node:fs'

/** The text of a file with a key. Throws a sentence if it is missing or others can read it; `what` names it there. */
export function privateText(file: string, what: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw new Error(`The ${what} ${file} is missing: put it there from where you keep its copy.`)
  if (found.mode & 0o077) throw new Error(`Others can read the ${what} ${file}: run chmod 600 ${file}.`)
  return readFileSync(file, 'utf8')
}
