import { DotenvError, parseDotenv } from '@rollkey/contract/rules'
import { unreadable, type Reader } from './entry.ts'

/** Reads a .env file like the npm package dotenv. Text that the package would skip or cut short is an error with its line. */
export const dotenv: Reader = (text, file, note) => {
  try {
    return parseDotenv(text).map(({ name, value, line, notices }) => {
      for (const notice of notices) note(`${file}, line ${line}: ${notice}.`)
      return { name, value, line }
    })
  } catch (error) {
    if (error instanceof DotenvError) throw unreadable(file, `, line ${error.line}`, error.message)
    throw error
  }
}
