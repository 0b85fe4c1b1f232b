import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const projectCreate =
  ({ projects }: Rooms): Handler<'projectCreate'> =>
  async ({ caller, body, requestId }) => {
    await projects.create(actorOf(caller, requestId), body)
    return { ok: true }
  }
