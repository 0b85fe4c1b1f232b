import { ApiError } from '../../base/api-error.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const whoami =
  ({ access, authentication, serviceTokens, trusts, personOf }: Services): Handler<'whoami'> =>
  async ({ caller, reads }) => {
    const { orgId, orgSlug, userId, session } = caller
    const byGrants = await access.permissionsOf(caller, reads)
    if (session?.scope?.trustId !== undefined) {
      const trust = await trusts.find(session.scope.trustId)
      // The trust was deleted after authentication.
      if (!trust) throw new ApiError('UNAUTHORIZED')
      const { id, name, projectSlug, stageSlug, role, history } = trust
      const shown = { id, name, projectSlug, stageSlug, role, history, expiresAtMs: session.accessTokenExpiresAtMs }
      return { credential: 'service', orgId, orgSlug, trust: shown, verbs: byGrants.verbsByPlace() }
    }
    if (session?.scope) {
      const serviceToken = await serviceTokens.find(session.id)
      // The session was revoked after authentication.
      if (!serviceToken) throw new ApiError('UNAUTHORIZED')
      return { credential: 'service', orgId, orgSlug, serviceToken, verbs: byGrants.verbsByPlace() }
    }
    const role = await authentication.roleOf(caller, reads)
    const person = await personOf(userId)
    const verbs = byGrants.withRole(role).verbsByPlace()
    return { credential: session ? 'session' : 'provider', orgId, orgSlug, idpUserId: userId, role, ...person, verbs }
  }
