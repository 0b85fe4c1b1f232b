import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const groupDelete =
  ({ authentication, groups }: Services): Handler<'groupDelete'> =>
  async (context) => {
    await groups.delete(changeRequestOf(context, authentication), context.body.id)
    return { ok: true }
  }
