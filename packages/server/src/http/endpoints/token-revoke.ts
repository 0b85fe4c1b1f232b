import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenRevoke =
  ({ serviceTokens }: Services): Handler<'tokenRevoke'> =>
  async ({ body, actor }) => {
    await serviceTokens.revoke(actor, body.id)
    return { ok: true }
  }
