import { isVisibleTo } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const recentHistory =
  ({ recentHistory: service }: Services): Handler<'recentHistory'> =>
  ({ caller: { orgId, session }, body }) =>
    service.list(orgId, body, isVisibleTo(session?.scope))
