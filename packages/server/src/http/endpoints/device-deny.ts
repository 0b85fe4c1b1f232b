import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const deviceDeny =
  ({ deviceCodes }: Services): Handler<'deviceDeny'> =>
  async ({ body, actor }) => {
    await deviceCodes.deny(body.userCode, actor)
    return { ok: true }
  }
