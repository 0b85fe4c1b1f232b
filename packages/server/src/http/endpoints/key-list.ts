import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const keyList =
  ({ clientKeys }: Services): Handler<'keyList'> =>
  async ({ caller: { orgId }, permissions }) => ({
    keys: await clientKeys.list(orgId, (place) => permissions.allows('manage', place)),
  })
