import type { Handler } from '../funnel.ts'
import type { Services } from './services.ts'

export const tokenList =
  ({ serviceTokens }: Services): Handler<'tokenList'> =>
  async ({ caller: { orgId } }) => ({ tokens: await serviceTokens.list(orgId) })
