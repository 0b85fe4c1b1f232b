import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const stageCreate =
  ({ projects }: Services): Handler<'stageCreate'> =>
  async ({ caller, body, requestId }) => {
    await projects.createStage(actorOf(caller, requestId), body)
    return { ok: true }
  }
