import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const stageOrder =
  ({ projects }: Services): Handler<'stageOrder'> =>
  async ({ body, actor }) => {
    await projects.orderStages(actor, body)
    return { ok: true }
  }
