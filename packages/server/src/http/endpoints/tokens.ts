/** Handlers of service tokens. */
import { assertMayIssue } from '../../access/grants.ts'
import { ApiError } from '../../base/api-error.ts'
import { noToken, roleOf } from '../../sessions/service-tokens.ts'
import type { Handlers } from '../handler.ts'

export const tokenHandlers = {
  whoami: async ({ access, authentication, serviceTokens, trusts, personOf }, { caller, reads }) => {
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
  },
  tokenCreate: ({ access, authentication, serviceTokens }, { body, caller, actor, permissions }) => {
    const { policy } = permissions
    const { projectSlug, stageSlug } = body
    const own = { projectSlug, stageSlug, verbs: policy.verbsOf(roleOf(body)) }
    assertMayIssue(permissions, [own], () => authentication.assertConfirmedRead(caller))
    return serviceTokens.create(actor, body, (tx) => access.hold(tx, policy))
  },
  tokenList: async ({ serviceTokens }, { caller: { orgId }, permissions }) => ({
    tokens: await serviceTokens.list(orgId, (place) => permissions.allows('manage', place)),
  }),
  tokenRotate: async ({ access, authentication, serviceTokens }, { body, caller, actor, permissions }) => {
    const { policy } = permissions
    const { id, role, projectSlug, stageSlug } = await serviceTokens.get(caller.orgId, body.id)
    const own = { projectSlug, stageSlug, verbs: policy.verbsOf(role) }
    if (!permissions.allows('manage', own)) throw noToken()
    const grants = [own, ...policy.grantsOf(`token:${id}`)]
    assertMayIssue(permissions, grants, () => authentication.assertConfirmedRead(caller))
    return serviceTokens.rotate(actor, body, (tx) => access.hold(tx, policy))
  },
  tokenRevoke: async ({ serviceTokens }, { body, actor, permissions }) => {
    await serviceTokens.revoke(actor, body.id, (place) => permissions.allows('manage', place))
    return { ok: true }
  },
} satisfies Partial<Handlers>
