import type { Access } from '../../access/access.ts'
import { ApiError } from '../../base/api-error.ts'
import type { AcceptedCredentials, Authentication, Caller } from '../../auth/authenticate.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { RequestContext } from '../request-context.ts'
import type { Step } from './step.ts'

/**
 * Returns the caller of a request, provided that its read set validates, as a promise unless a look-up in memory is enough. Calls
 * `beforeExpensiveCheck` before a credential costs more than that.
 */
export type Identify = (context: RequestContext, beforeExpensiveCheck?: () => void) => Caller | Promise<Caller>

/** Identifies callers by the Authorization header. */
export const byAuthorization =
  (accepted: AcceptedCredentials, authentication: Authentication): Identify =>
  ({ request, reads }, beforeExpensiveCheck) =>
    authentication.caller(request.headers.authorization, accepted, reads, beforeExpensiveCheck)

/**
 * Identifies callers by the Authorization header or by one that has only the credential. Both count as if they stood in one header. Node
 * joins repeated lines with commas.
 */
export const byHeader =
  (name: 'x-api-key' | 'x-vault-token', accepted: AcceptedCredentials, authentication: Authentication): Identify =>
  ({ request: { headers }, reads }, beforeExpensiveCheck) => {
    const { authorization } = headers
    const own = headers[name]
    const credentials = own === undefined ? authorization : [authorization ?? [], bearersOf(String(own))].flat().join()
    return authentication.caller(credentials, accepted, reads, beforeExpensiveCheck)
  }

function bearersOf(header: string): string {
  if (!header.includes(',')) return `Bearer ${header.trim()}`
  return header
    .split(',')
    .map((credential) => `Bearer ${credential.trim()}`)
    .join()
}

/** Identifies the caller. Throws FORBIDDEN for a service token that a browser sends, COMPANY_SIGN_IN_REQUIRED and SECOND_FACTOR_MISSING. */
export const authenticate =
  (identify: Identify, access: Access, rateLimits: RateLimits): Step =>
  (context) => {
    const admit = (caller: Caller): void | Promise<void> => {
      context.caller = caller
      assertMayBeInPage(caller, context)
      return access.assertAdmitted(caller, context.reads)
    }
    const caller = identify(context, () => rateLimits.assertMayAuthenticate(context))
    return caller instanceof Promise ? caller.then(admit) : admit(caller)
  }

/** Throws FORBIDDEN for a service token that a browser sends. Browsers send the origin of a page, and everyone can read its token. */
function assertMayBeInPage({ session }: Caller, { request }: RequestContext): void {
  const { scope } = session ?? {}
  if (!scope || scope.trustId !== undefined || scope.clientKey || request.headers.origin === undefined) return
  throw new ApiError(
    'FORBIDDEN',
    'A service token must not be in a web page, where everyone can read it: use a client key there, or send it from a server, without an Origin header.',
  )
}
