import type { Handler } from '../funnel.ts'
import { actorOf } from '../../auth/actor.ts'
import type { Services } from './services.ts'

export const projectCreate =
  ({ projects }: Services): Handler<'projectCreate'> =>
  async ({ caller, body, requestId }) => {
    await projects.create(actorOf(caller, requestId), body)
    return { ok: true }
  }
