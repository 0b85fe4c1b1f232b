import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const groupMembers =
  ({ authentication, groups }: Services): Handler<'groupMembers'> =>
  async (context) => {
    await groups.change(changeRequestOf(context, authentication), context.body)
    return { ok: true }
  }
