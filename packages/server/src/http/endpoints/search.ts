import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const search =
  ({ search: room }: Rooms): Handler<'search'> =>
  ({ caller: { orgId, session }, body }) =>
    room.find(orgId, body, session?.reach)
