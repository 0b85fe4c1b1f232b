import { ApiError } from '../../base/api-error.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const whoami =
  ({ authentication, serviceTokens, personOf }: Services): Handler<'whoami'> =>
  async ({ caller, reads }) => {
    const { orgId, orgSlug, userId, session } = caller
    if (session?.scope) {
      const serviceToken = await serviceTokens.find(session.id)
      // The session was revoked after authentication.
      if (!serviceToken) throw new ApiError('UNAUTHORIZED')
      return { credential: 'service', orgId, orgSlug, serviceToken }
    }
    const role = await authentication.roleOf(caller, reads)
    const person = await personOf(userId)
    return { credential: session ? 'session' : 'provider', orgId, orgSlug, idpUserId: userId, role, ...person }
  }
