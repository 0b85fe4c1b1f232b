import { isVisibleTo } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const attention =
  ({ authentication, missingVariables, rolls, serviceTokens }: Services): Handler<'attention'> =>
  async ({ caller, reads }) => {
    const { orgId, session } = caller
    const isVisible = isVisibleTo(session?.scope)
    const maySeeTokens = !session?.scope && (await authentication.isAdmin(caller, reads))
    return {
      missing: await missingVariables.list(orgId, isVisible),
      ...(maySeeTokens && { expiringTokens: await serviceTokens.expiring(orgId) }),
      misfits: await rolls.misfits(orgId, isVisible),
    }
  }
