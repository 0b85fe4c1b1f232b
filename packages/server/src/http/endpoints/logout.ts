import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const logout =
  ({ sessions }: Rooms): Handler<'logout'> =>
  async ({ caller, body }) => {
    await sessions.logout(caller.session, body.refreshToken)
    return { ok: true }
  }
