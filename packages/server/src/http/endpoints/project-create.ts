import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const projectCreate =
  ({ projects }: Services): Handler<'projectCreate'> =>
  async ({ body, actor }) => {
    await projects.create(actor, body)
    return { ok: true }
  }
