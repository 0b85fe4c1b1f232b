import { explain } from '../../access/explanation.ts'
import { forbidden } from '../../access/forbidden.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const accessExplain =
  ({ authentication, principals, clock }: Services): Handler<'accessExplain'> =>
  async ({ caller, body, permissions: byGrants, reads }) => {
    const { projectSlug, stageSlug } = body
    const place = { projectSlug, stageSlug }
    const permissions = byGrants.withRole(await authentication.roleOf(caller, reads))
    const own = { kind: 'user', id: caller.userId } as const
    const named = body.principal ?? own
    const isOwn = named.kind === 'user' && named.id === caller.userId
    if (!isOwn && !permissions.allows('manage', place)) throw forbidden('manage', place, caller)
    if (!permissions.isVisible(place)) return { verbs: [], isProtected: false, sources: [] }
    const principal = await principals.find(caller, named)
    const standing = await principals.standingOf(caller, principal)
    const explanation = explain(permissions.policy, principal, standing, place, clock.now())
    return { ...explanation, sources: await principals.named(caller.orgId, explanation.sources) }
  }
