import { issueRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const trustDelete =
  ({ authentication, trusts }: Services): Handler<'trustDelete'> =>
  async (context) => {
    await trusts.delete(issueRequestOf(context, authentication), context.body.id)
    return { ok: true }
  }
