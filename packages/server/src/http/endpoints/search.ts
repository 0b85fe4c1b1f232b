import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const search =
  ({ search: service }: Services): Handler<'search'> =>
  ({ caller: { orgId }, permissions, body }) =>
    service.find(orgId, body, (place) => permissions.isVisible(place))
