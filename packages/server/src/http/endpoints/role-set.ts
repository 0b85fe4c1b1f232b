import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const roleSet =
  ({ authentication, roles }: Services): Handler<'roleSet'> =>
  async (context) => {
    await roles.set(changeRequestOf(context, authentication), context.body.name, context.body.verbs)
    return { ok: true }
  }
