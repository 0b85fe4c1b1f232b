import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const groups =
  ({ groups: service }: Services): Handler<'groups'> =>
  async ({ caller: { orgId } }) => ({ groups: await service.list(orgId) })
