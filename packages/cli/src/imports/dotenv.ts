import { DotenvError, parseDotenv, type DotenvAssignment } from '@rollkey/contract/rules'
import { joinNames } from '../formats/refuse.ts'
import { unreadable, type Reader } from './entry.ts'

/** How many invalid lines are looked for. A file with more of them is not a .env file. */
const maxProblems = 100

/** Reads a .env file like the npm package dotenv. Text that the package would skip or cut short is an error with all its lines. */
export const dotenv: Reader = (text, file, note) => {
  const { assignments, problems } = readable(text)
  const [first, ...others] = byMessage(problems)
  if (first) {
    const further = others.map(([message, lines]) => `; ${lines}: ${message}`).join('')
    throw unreadable(file, `, ${first[1]}`, `${first[0]}${further}`)
  }
  return assignments.map(({ name, value, line, notices }) => {
    for (const notice of notices) note(`${file}, line ${line}: ${notice}.`)
    return { name, value, line }
  })
}

/** Returns the assignments, or an error for each invalid line, up to a quote that may hold the lines after it. */
function readable(text: string): { assignments: readonly DotenvAssignment[]; problems: readonly DotenvError[] } {
  const parts = text.split(/(\r\n?|\n)/)
  const problems: DotenvError[] = []
  while (problems.length < maxProblems) {
    try {
      return { assignments: parseDotenv(parts.join('')), problems }
    } catch (error) {
      if (!(error instanceof DotenvError)) throw error
      problems.push(error)
      // Line breaks are parts, too.
      const at = (error.line - 1) * 2
      if (/['"`]/.test(parts[at] ?? '')) break
      parts[at] = ''
    }
  }
  return { assignments: [], problems }
}

/** Returns what is wrong, and where, such as `line 2` or `lines 3, 5`. */
function byMessage(problems: readonly DotenvError[]): readonly (readonly [message: string, lines: string])[] {
  const found = new Map<string, string[]>()
  for (const { message, line } of problems) found.set(message, [...(found.get(message) ?? []), `${line}`])
  return [...found].map(([message, lines]) => [message, `${lines.length > 1 ? 'lines' : 'line'} ${joinNames(lines)}`])
}
