import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const stageUpdate =
  ({ projects }: Services): Handler<'stageUpdate'> =>
  async ({ body, actor }) => {
    await projects.updateStage(actor, body)
    return { ok: true }
  }
