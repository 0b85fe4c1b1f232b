import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const stageCreate =
  ({ projects }: Rooms): Handler<'stageCreate'> =>
  async ({ caller, body, requestId }) => {
    await projects.createStage(actorOf(caller, requestId), body)
    return { ok: true }
  }
