import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const tokenRefresh =
  ({ sessions }: Services): Handler<'tokenRefresh'> =>
  ({ body, requestId }) =>
    sessions.refresh(body.refreshToken, requestId)
