import type { Access } from '../../access/access.ts'
import { ApiError } from '../../base/api-error.ts'
import type { AcceptedCredentials, Authentication, Caller } from '../../auth/authenticate.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { RequestContext } from '../request-context.ts'
import type { Step } from './step.ts'

/**
 * Returns the caller of a request, provided that its read set validates. Calls `beforeExpensiveCheck` before a credential costs more
 * than a look-up in memory.
 */
export type Identify = (context: RequestContext, beforeExpensiveCheck?: () => void) => Promise<Caller>

/** Identifies callers by the Authorization header. */
export const byAuthorization =
  (accepted: AcceptedCredentials, authentication: Authentication): Identify =>
  ({ request, reads }, beforeExpensiveCheck) =>
    authentication.caller(request.headers.authorization, accepted, reads, beforeExpensiveCheck)

/** Identifies the caller. Throws FORBIDDEN for a service token that a browser sends, and COMPANY_SIGN_IN_REQUIRED. */
export const authenticate =
  (identify: Identify, access: Access, rateLimits: RateLimits): Step =>
  async (context) => {
    const caller = await identify(context, () => rateLimits.assertMayAuthenticate(context))
    context.caller = caller
    if (!caller.session) await access.assertAdmitted(caller, context.reads)
    const { scope } = caller.session ?? {}
    // Browsers send their origin, and everyone who opens the page can read its token.
    if (scope && scope.trustId === undefined && !scope.clientKey && context.request.headers.origin !== undefined)
      throw new ApiError(
        'FORBIDDEN',
        'A service token must not be in a web page, where everyone can read it: use a client key there, or send it from a server, without an Origin header.',
      )
  }
