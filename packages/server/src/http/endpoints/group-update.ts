import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const groupUpdate =
  ({ authentication, groups }: Services): Handler<'groupUpdate'> =>
  async (context) => {
    await groups.update(changeRequestOf(context, authentication), context.body)
    return { ok: true }
  }
