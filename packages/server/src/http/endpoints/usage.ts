import type { Place } from '@rollkey/contract'
import { assertWholeOrganization } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const usage =
  ({ usage: service }: Services): Handler<'usage'> =>
  ({ caller: { orgId, session }, permissions, body }) => {
    if (session?.scope) assertWholeOrganization(session.scope)
    if (permissions.allows('list', {})) return service.show(orgId, body)
    // Events without a stage would show that the organization has more than the caller may list.
    const isVisible = ({ projectSlug, stageSlug }: Place): boolean =>
      projectSlug !== undefined && permissions.isVisible({ projectSlug, stageSlug })
    return service.show(orgId, body, isVisible)
  }
