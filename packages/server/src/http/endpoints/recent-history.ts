import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const recentHistory =
  ({ recentHistory: service }: Services): Handler<'recentHistory'> =>
  ({ caller: { orgId }, permissions, body }) =>
    service.list(orgId, body, (place) => permissions.isVisible(place))
