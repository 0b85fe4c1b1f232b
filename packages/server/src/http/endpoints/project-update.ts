import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const projectUpdate =
  ({ projects }: Services): Handler<'projectUpdate'> =>
  async ({ body, actor }) => {
    await projects.update(actor, body)
    return { ok: true }
  }
