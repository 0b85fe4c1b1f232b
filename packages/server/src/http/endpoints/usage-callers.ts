import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const usageCallers =
  ({ usage }: Rooms): Handler<'usageCallers'> =>
  ({ caller: { orgId }, body: { from, to } }) =>
    usage.callers(orgId, { from, to })
