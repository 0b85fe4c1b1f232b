import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenList =
  ({ serviceTokens }: Services): Handler<'tokenList'> =>
  async ({ caller: { orgId }, permissions }) => ({
    tokens: await serviceTokens.list(orgId, (place) => permissions.allows('manage', place)),
  })
