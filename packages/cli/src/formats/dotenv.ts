import { quoteForDotenv } from '@rollkey/contract/rules'
import { jsonCommand, refuse, refuseOutsideEnvironment, type Variables } from './refuse.ts'

/** Writes `NAME=value` lines for the npm package dotenv and compatible readers. */
export function dotenv(variables: Variables): string {
  refuseOutsideEnvironment(variables)
  const lines = Object.entries(variables).map(([name, value]) => [name, quoteForDotenv(value)] as const)
  const refused = lines.filter(([, text]) => text === undefined).map(([name]) => name)
  refuse('INVALID_VALUE', refused, 'A dotenv file cannot hold the value of', jsonCommand)
  return lines.map(([name, text]) => `${name}=${text}\n`).join('')
}
