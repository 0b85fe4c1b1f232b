import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const roleDelete =
  ({ authentication, roles }: Services): Handler<'roleDelete'> =>
  async (context) => {
    await roles.delete(changeRequestOf(context, authentication), context.body.name)
    return { ok: true }
  }
