import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const sessionList =
  ({ authentication, sessions }: Services): Handler<'sessionList'> =>
  async ({ caller, body, reads }) => {
    if (body.everyone) await authentication.assertAdmin(caller, reads)
    const listed = await sessions.list(caller.orgId, body.everyone ? {} : { userId: caller.userId })
    return { sessions: listed.map((each) => ({ ...each, isCurrent: each.id === caller.session?.id })) }
  }
