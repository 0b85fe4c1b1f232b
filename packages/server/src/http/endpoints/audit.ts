import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const audit =
  ({ auditLog }: Rooms): Handler<'audit'> =>
  async ({ caller: { orgId }, body }) => ({ entries: await auditLog.list(orgId, body) })
