import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const organizationDelete =
  ({ deletion }: Services): Handler<'organizationDelete'> =>
  async ({ actor, caller }) => {
    await deletion.organization(actor, caller.idpOrgId)
    return { ok: true }
  }
