import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenRevoke =
  ({ serviceTokens }: Services): Handler<'tokenRevoke'> =>
  async ({ body, actor, permissions }) => {
    await serviceTokens.revoke(actor, body.id, (place) => permissions.allows('manage', place))
    return { ok: true }
  }
