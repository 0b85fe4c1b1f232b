import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const stageCreate =
  ({ projects }: Services): Handler<'stageCreate'> =>
  async ({ body, actor }) => {
    await projects.createStage(actor, body)
    return { ok: true }
  }
