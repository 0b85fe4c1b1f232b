import type { AcceptedCredentials, Authentication } from '../../auth/authenticate.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Step } from './step.ts'

/** Identifies the caller. */
export const authenticate =
  (accepted: AcceptedCredentials, authentication: Authentication, rateLimits: RateLimits): Step =>
  async (context) => {
    const { authorization } = context.request.headers
    const beforeExpensiveCheck = (): void => rateLimits.assertMayAuthenticate(context)
    context.caller = await authentication.caller(authorization, accepted, context.reads, beforeExpensiveCheck)
  }
