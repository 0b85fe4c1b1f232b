/** Credentials in the header of OFREP, beside the Authorization header. */
import type { AcceptedCredentials, Authentication } from '../../auth/authenticate.ts'
import type { Identify } from '../steps/authenticate.ts'

/** Returns the header as an Authorization header. Node joins repeated lines with commas. */
function bearerOf(apiKey: string | string[]): string {
  return String(apiKey)
    .split(',')
    .map((key) => `Bearer ${key.trim()}`)
    .join()
}

/** Identifies callers by `Authorization: Bearer …` or `X-API-Key: …`. Both count as if they stood in one header. */
export const byApiKey =
  (accepted: AcceptedCredentials, authentication: Authentication): Identify =>
  ({ request: { headers }, reads }, beforeExpensiveCheck) => {
    const { authorization } = headers
    const apiKey = headers['x-api-key']
    const credentials = apiKey === undefined ? authorization : [authorization ?? [], bearerOf(apiKey)].flat().join()
    return authentication.caller(credentials, accepted, reads, beforeExpensiveCheck)
  }
