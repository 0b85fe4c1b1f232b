import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const logout =
  ({ sessions }: Rooms): Handler<'logout'> =>
  async ({ caller, body, requestId }) => {
    await sessions.logout(actorOf(caller, requestId), body.refreshToken)
    return { ok: true }
  }
