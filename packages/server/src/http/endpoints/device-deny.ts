import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const deviceDeny =
  ({ deviceCodes }: Services): Handler<'deviceDeny'> =>
  async ({ caller, body, requestId }) => {
    await deviceCodes.deny(body.userCode, actorOf(caller, requestId))
    return { ok: true }
  }
