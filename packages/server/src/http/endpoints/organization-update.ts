import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const organizationUpdate =
  ({ authentication, organizations, defaults }: Services): Handler<'organizationUpdate'> =>
  async (context) => {
    const { actor, body } = context
    const { createsOnWrite, defaultRole } = body
    if (createsOnWrite !== undefined) await organizations.update(actor, createsOnWrite)
    if (defaultRole !== undefined) await defaults.setRole(changeRequestOf(context, authentication), defaultRole)
    return { ok: true }
  }
