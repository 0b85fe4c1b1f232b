import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const tokenList =
  ({ serviceTokens }: Rooms): Handler<'tokenList'> =>
  async ({ caller: { orgId } }) => ({ tokens: await serviceTokens.list(orgId) })
