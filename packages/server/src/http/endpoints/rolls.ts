import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const rolls =
  ({ rolls: service }: Services): Handler<'rolls'> =>
  ({ caller: { orgId }, permissions, body }) =>
    service.list(orgId, body, (place) => permissions.isVisible(place))
