import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const deviceComplete =
  ({ deviceCodes }: Services): Handler<'deviceComplete'> =>
  async ({ caller, body, requestId }) => {
    await deviceCodes.approve(body.userCode, actorOf(caller, requestId))
    return { ok: true }
  }
