import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const deviceComplete =
  ({ deviceCodes }: Services): Handler<'deviceComplete'> =>
  async ({ body, actor }) => {
    await deviceCodes.approve(body.userCode, actor)
    return { ok: true }
  }
