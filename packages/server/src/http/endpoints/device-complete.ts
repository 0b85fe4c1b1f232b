import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const deviceComplete =
  ({ deviceCodes }: Rooms): Handler<'deviceComplete'> =>
  async ({ caller, body }) => {
    await deviceCodes.approve(body.userCode, caller)
    return { ok: true }
  }
