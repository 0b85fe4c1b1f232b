import { noSession } from '../../sessions/sessions.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const sessionRevoke =
  ({ authentication, sessions }: Services): Handler<'sessionRevoke'> =>
  async ({ caller, body: { id }, actor, reads }) => {
    const [found] = await sessions.list(caller.orgId, { id })
    const mayRevoke = found && (found.idpUserId === caller.userId || (await authentication.isAdmin(caller, reads)))
    const by = { actor, action: 'session.revoke' } as const
    if (mayRevoke && (await sessions.revoke(id, 'revoked', by))) return { ok: true }
    throw noSession()
  }
