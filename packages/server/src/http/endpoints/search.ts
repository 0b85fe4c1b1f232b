import type { Handler } from '../funnel.ts'
import type { Services } from './services.ts'

export const search =
  ({ search: room }: Services): Handler<'search'> =>
  ({ caller: { orgId, session }, body }) =>
    room.find(orgId, body, session?.scope)
