import type { Handler } from '../handler.ts'
import type { Services } from './services.ts'

export const search =
  ({ search: room }: Services): Handler<'search'> =>
  ({ caller: { orgId, session }, body }) =>
    room.find(orgId, body, session?.scope)
