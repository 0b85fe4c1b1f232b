import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const tokenCreate =
  ({ serviceTokens }: Rooms): Handler<'tokenCreate'> =>
  ({ caller: { orgId, userId }, body }) =>
    serviceTokens.create(orgId, userId, body)
