import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const deviceComplete =
  ({ deviceCodes }: Rooms): Handler<'deviceComplete'> =>
  async ({ caller, body, requestId }) => {
    await deviceCodes.approve(body.userCode, actorOf(caller, requestId))
    return { ok: true }
  }
