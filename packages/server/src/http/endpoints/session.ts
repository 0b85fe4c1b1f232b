import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const session =
  ({ sessions }: Rooms): Handler<'session'> =>
  async ({ caller }) => ({
    idpUserId: caller.userId,
    orgId: caller.orgId,
    orgSlug: caller.orgSlug,
    accessTokenExpiresAtMs: caller.session.accessTokenExpiresAtMs,
    ...(await sessions.timesOf(caller.session)),
  })
