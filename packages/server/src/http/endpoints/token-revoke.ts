import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const tokenRevoke =
  ({ serviceTokens }: Rooms): Handler<'tokenRevoke'> =>
  async ({ caller, body, requestId }) => {
    await serviceTokens.revoke(actorOf(caller, requestId), body.id)
    return { ok: true }
  }
