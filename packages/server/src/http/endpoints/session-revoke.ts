import { Fault } from '../../base/fault.ts'
import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const sessionRevoke =
  ({ authentication, sessions }: Rooms): Handler<'sessionRevoke'> =>
  async ({ caller, body: { id }, requestId, claims }) => {
    const [found] = await sessions.list(caller.orgId, { id })
    const may = found && (found.idpUserId === caller.userId || (await authentication.isAdmin(caller, claims)))
    const by = { actor: actorOf(caller, requestId), action: 'session.revoke' } as const
    if (may && (await sessions.revoke(id, 'revoked', by))) return { ok: true }
    throw new Fault('NOT_FOUND', 'You have no session of this id that can still be used.')
  }
