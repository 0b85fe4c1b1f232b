import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenList =
  ({ serviceTokens }: Services): Handler<'tokenList'> =>
  async ({ caller: { orgId } }) => ({ tokens: await serviceTokens.list(orgId) })
