import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const deviceDeny =
  ({ deviceCodes }: Rooms): Handler<'deviceDeny'> =>
  async ({ caller, body, requestId }) => {
    await deviceCodes.deny(body.userCode, actorOf(caller, requestId))
    return { ok: true }
  }
