import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const stageUpdate =
  ({ projects }: Services): Handler<'stageUpdate'> =>
  async ({ caller, body, requestId }) => {
    await projects.updateStage(actorOf(caller, requestId), body)
    return { ok: true }
  }
