import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const sessionList =
  ({ authentication, sessions }: Rooms): Handler<'sessionList'> =>
  async ({ caller, body, claims }) => {
    if (body.everyone) await authentication.assertAdmin(caller, claims)
    const found = await sessions.list(caller.orgId, body.everyone ? {} : { userId: caller.userId })
    return { sessions: found.map((each) => ({ ...each, isCurrent: each.id === caller.session?.id })) }
  }
