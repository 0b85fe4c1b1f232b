import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const tokenRefresh =
  ({ sessions }: Rooms): Handler<'tokenRefresh'> =>
  ({ body, requestId }) =>
    sessions.refresh(body.refreshToken, requestId)
