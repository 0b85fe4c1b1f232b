import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const tokenRevoke =
  ({ serviceTokens }: Rooms): Handler<'tokenRevoke'> =>
  async ({ caller: { orgId }, body }) => {
    await serviceTokens.revoke(orgId, body.id)
    return { ok: true }
  }
