import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const logout =
  ({ sessions }: Services): Handler<'logout'> =>
  async ({ caller, body, requestId }) => {
    await sessions.logout(actorOf(caller, requestId), body.refreshToken)
    return { ok: true }
  }
