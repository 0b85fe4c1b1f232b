import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const roles =
  ({ access, roles: service }: Services): Handler<'roles'> =>
  async ({ caller: { orgId }, reads }) => ({ roles: service.list(await access.policyOf(orgId, reads)) })
