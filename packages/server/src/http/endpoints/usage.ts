import type { Place } from '@rollkey/contract'
import { assertWholeOrganization } from '../../sessions/token-scope.ts'
import type { Handler } from '../handler.ts'
import { jsonPieces } from '../json-pieces.ts'
import { JsonText } from '../reply.ts'
import type { Services } from '../services.ts'

export const usage =
  ({ usage: service }: Services): Handler<'usage'> =>
  async ({ caller: { orgId, session }, permissions, body }) => {
    if (session?.scope) assertWholeOrganization(session.scope)
    // Events without a stage would show that the organization has more than the caller may list.
    const isVisible = ({ projectSlug, stageSlug }: Place): boolean =>
      projectSlug !== undefined && permissions.isVisible({ projectSlug, stageSlug })
    const { months, days, ...rest } = await service.show(
      orgId,
      body,
      permissions.allows('list', {}) ? undefined : isVisible,
    )
    const head = `${JSON.stringify({ months }).slice(0, -1)},"days":[`
    return new JsonText(head, await jsonPieces(days), `],${JSON.stringify(rest).slice(1, -1)}`)
  }
