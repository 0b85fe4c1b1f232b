import { assertMayIssue } from '../../access/grants.ts'
import { noToken } from '../../sessions/service-tokens.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenRotate =
  ({ access, authentication, serviceTokens }: Services): Handler<'tokenRotate'> =>
  async ({ body, caller, actor, permissions }) => {
    const { policy } = permissions
    const { id, role, projectSlug, stageSlug } = await serviceTokens.get(caller.orgId, body.id)
    const own = { projectSlug, stageSlug, verbs: policy.verbsOf(role) }
    if (!permissions.allows('manage', own)) throw noToken()
    const grants = [own, ...policy.grantsOf(`token:${id}`)]
    assertMayIssue(permissions, grants, () => authentication.assertConfirmedRead(caller))
    return serviceTokens.rotate(actor, body, (tx) => access.hold(tx, policy))
  }
