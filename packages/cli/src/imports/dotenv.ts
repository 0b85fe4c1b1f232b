import { DotenvError, parseDotenv } from '@rollkey/contract/rules'
import { unreadable, type Entry } from './entry.ts'

/** Reads a .env file like the npm package dotenv. Text that the package would skip or cut short is an error with its line. */
export function dotenv(text: string, file: string): Entry[] {
  try {
    return parseDotenv(text).map(({ name, value }) => ({ name, value }))
  } catch (error) {
    if (error instanceof DotenvError) throw unreadable(file, `, line ${error.line}`, error.message)
    throw error
  }
}
