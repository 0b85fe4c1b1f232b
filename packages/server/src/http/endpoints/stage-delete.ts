import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const stageDelete =
  ({ deletion }: Services): Handler<'stageDelete'> =>
  async ({ body, actor }) => {
    await deletion.stage(actor, body)
    return { ok: true }
  }
