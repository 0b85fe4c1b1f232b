import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const deviceDeny =
  ({ deviceCodes }: Rooms): Handler<'deviceDeny'> =>
  async ({ caller, body }) => {
    await deviceCodes.deny(body.userCode, caller)
    return { ok: true }
  }
