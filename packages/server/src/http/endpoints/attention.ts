import type { Place } from '@rollkey/contract'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const attention =
  ({ authentication, missingVariables, rolls, serviceTokens }: Services): Handler<'attention'> =>
  async ({ caller, reads, permissions: byGrants }) => {
    const { orgId, session } = caller
    const permissions = session?.scope ? byGrants : byGrants.withRole(await authentication.roleOf(caller, reads))
    const isVisible = (place: Place): boolean => permissions.isVisible(place)
    const maySeeTokens = permissions.allowsSomewhere('manage')
    const mayManage = (place: Place): boolean => permissions.allows('manage', place)
    return {
      missing: await missingVariables.list(orgId, isVisible),
      ...(maySeeTokens && { expiringTokens: await serviceTokens.expiring(orgId, mayManage) }),
      misfits: await rolls.misfits(orgId, isVisible),
    }
  }
