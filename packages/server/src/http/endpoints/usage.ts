import { assertReachesAll } from '../../sessions/reach.ts'
import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const usage =
  ({ usage: room }: Rooms): Handler<'usage'> =>
  ({ caller: { orgId, session }, body }) => {
    if (session?.reach) assertReachesAll(session.reach)
    return room.show(orgId, body.months)
  }
