import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const tokenRevoke =
  ({ serviceTokens }: Services): Handler<'tokenRevoke'> =>
  async ({ caller, body, requestId }) => {
    await serviceTokens.revoke(actorOf(caller, requestId), body.id)
    return { ok: true }
  }
