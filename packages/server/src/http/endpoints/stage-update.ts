import type { Handler } from '../funnel.ts'
import { actorOf } from './actor.ts'
import type { Rooms } from './rooms.ts'

export const stageUpdate =
  ({ projects }: Rooms): Handler<'stageUpdate'> =>
  async ({ caller, body, requestId }) => {
    await projects.updateStage(actorOf(caller, requestId), body)
    return { ok: true }
  }
