import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const keyRevoke =
  ({ clientKeys }: Services): Handler<'keyRevoke'> =>
  async ({ body, actor, permissions }) => {
    await clientKeys.revoke(actor, body.id, (place) => permissions.allows('manage', place))
    return { ok: true }
  }
