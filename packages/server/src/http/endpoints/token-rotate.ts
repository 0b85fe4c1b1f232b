import { assertCovers } from '../../access/grants.ts'
import { noToken } from '../../sessions/service-tokens.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenRotate =
  ({ access, serviceTokens }: Services): Handler<'tokenRotate'> =>
  async ({ body, caller: { orgId }, actor, permissions }) => {
    const { policy } = permissions
    const { id, role, projectSlug, stageSlug } = await serviceTokens.get(orgId, body.id)
    const place = { projectSlug, stageSlug }
    if (!permissions.allows('manage', place)) throw noToken()
    assertCovers(permissions, policy.verbsOf(role), place)
    for (const grant of policy.grantsOf(`token:${id}`)) assertCovers(permissions, grant.verbs, grant)
    return serviceTokens.rotate(actor, body, (tx) => access.hold(tx, policy))
  }
