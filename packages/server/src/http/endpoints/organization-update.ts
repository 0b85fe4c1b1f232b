import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const organizationUpdate =
  ({ organizations }: Services): Handler<'organizationUpdate'> =>
  async ({ body, actor }) => {
    await organizations.update(actor, body.createsOnWrite)
    return { ok: true }
  }
