import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const projectUpdate =
  ({ projects }: Rooms): Handler<'projectUpdate'> =>
  async ({ caller, body, requestId }) => {
    await projects.update(actorOf(caller, requestId), body)
    return { ok: true }
  }
