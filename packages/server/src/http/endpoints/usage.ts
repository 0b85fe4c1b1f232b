import { assertWholeOrganization } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import type { Services } from './services.ts'

export const usage =
  ({ usage: room }: Services): Handler<'usage'> =>
  ({ caller: { orgId, session }, body }) => {
    if (session?.scope) assertWholeOrganization(session.scope)
    return room.show(orgId, body.months)
  }
