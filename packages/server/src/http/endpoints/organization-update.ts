import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const organizationUpdate =
  ({ organizations }: Rooms): Handler<'organizationUpdate'> =>
  async ({ caller, body, requestId }) => {
    await organizations.update(actorOf(caller, requestId), body.createsOnWrite)
    return { ok: true }
  }
