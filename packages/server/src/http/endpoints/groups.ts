import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const groups =
  ({ groups: service }: Services): Handler<'groups'> =>
  async ({ caller: { userId }, permissions }) => ({ groups: await service.list(permissions, userId) })
