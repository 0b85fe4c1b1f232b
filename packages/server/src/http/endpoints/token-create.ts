import { assertCovers } from '../../access/grants.ts'
import { roleOf } from '../../sessions/service-tokens.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenCreate =
  ({ access, serviceTokens }: Services): Handler<'tokenCreate'> =>
  ({ body, actor, permissions }) => {
    const { projectSlug, stageSlug } = body
    const role = roleOf(body)
    assertCovers(permissions, permissions.policy.verbsOf(role), { projectSlug, stageSlug })
    return serviceTokens.create(actor, body, (tx) => access.hold(tx, permissions.policy))
  }
