import { assertWholeOrganization } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const usage =
  ({ usage: service }: Services): Handler<'usage'> =>
  ({ caller: { orgId, session }, body }) => {
    if (session?.scope) assertWholeOrganization(session.scope)
    return service.show(orgId, body)
  }
