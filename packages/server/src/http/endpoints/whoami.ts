import { Fault } from '../../base/fault.ts'
import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const whoami =
  ({ authentication, serviceTokens, personOf }: Rooms): Handler<'whoami'> =>
  async ({ caller, claims }) => {
    const { orgId, orgSlug, userId, session } = caller
    if (session?.reach) {
      const serviceToken = await serviceTokens.find(session.id)
      // Revoked since the caller was found.
      if (!serviceToken) throw new Fault('UNAUTHORIZED')
      return { credential: 'service', orgId, orgSlug, serviceToken }
    }
    const role = await authentication.roleOf(caller, claims)
    const person = await personOf(userId)
    return { credential: session ? 'session' : 'provider', orgId, orgSlug, idpUserId: userId, role, ...person }
  }
