import { assertMayIssue } from '../../access/grants.ts'
import { roleOf } from '../../sessions/service-tokens.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenCreate =
  ({ access, authentication, serviceTokens }: Services): Handler<'tokenCreate'> =>
  ({ body, caller, actor, permissions }) => {
    const { policy } = permissions
    const { projectSlug, stageSlug } = body
    const own = { projectSlug, stageSlug, verbs: policy.verbsOf(roleOf(body)) }
    assertMayIssue(permissions, [own], () => authentication.assertConfirmedRead(caller))
    return serviceTokens.create(actor, body, (tx) => access.hold(tx, policy))
  }
