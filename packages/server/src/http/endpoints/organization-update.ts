import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const organizationUpdate =
  ({ organizations }: Services): Handler<'organizationUpdate'> =>
  async ({ caller, body, requestId }) => {
    await organizations.update(actorOf(caller, requestId), body.createsOnWrite)
    return { ok: true }
  }
