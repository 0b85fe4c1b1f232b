import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const trustList =
  ({ trusts }: Services): Handler<'trustList'> =>
  async ({ caller: { orgId }, permissions }) => ({
    trusts: await trusts.list(orgId, (place) => permissions.allows('manage', place)),
  })
