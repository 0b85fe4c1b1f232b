import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const audit =
  ({ auditLog }: Services): Handler<'audit'> =>
  async ({ caller: { orgId }, body }) => ({ entries: await auditLog.list(orgId, body) })
