import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const search =
  ({ search: service }: Services): Handler<'search'> =>
  ({ caller: { orgId, session }, body }) =>
    service.find(orgId, body, session?.scope)
