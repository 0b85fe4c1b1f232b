import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const projectUpdate =
  ({ projects }: Services): Handler<'projectUpdate'> =>
  async ({ caller, body, requestId }) => {
    await projects.update(actorOf(caller, requestId), body)
    return { ok: true }
  }
