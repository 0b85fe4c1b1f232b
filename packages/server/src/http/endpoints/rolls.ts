import { isVisibleTo } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const rolls =
  ({ rolls: service }: Services): Handler<'rolls'> =>
  ({ caller: { orgId, session }, body }) =>
    service.list(orgId, body, isVisibleTo(session?.scope))
