import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const usageCallers =
  ({ usage }: Services): Handler<'usageCallers'> =>
  ({ caller: { orgId }, body: { from, to } }) =>
    usage.callers(orgId, { from, to })
