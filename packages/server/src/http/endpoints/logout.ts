import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const logout =
  ({ sessions }: Services): Handler<'logout'> =>
  async ({ body, actor }) => {
    await sessions.logout(actor, body.refreshToken)
    return { ok: true }
  }
