import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const projectDelete =
  ({ deletion }: Services): Handler<'projectDelete'> =>
  async ({ body, actor }) => {
    await deletion.project(actor, body)
    return { ok: true }
  }
