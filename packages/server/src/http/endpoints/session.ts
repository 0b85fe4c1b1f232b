import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const session =
  ({ sessions }: Services): Handler<'session'> =>
  async ({ caller }) => ({
    idpUserId: caller.userId,
    orgId: caller.orgId,
    orgSlug: caller.orgSlug,
    accessTokenExpiresAtMs: caller.session.accessTokenExpiresAtMs,
    ...(await sessions.timesOf(caller.session)),
  })
