import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const accessGrant =
  ({ authentication, grants }: Services): Handler<'accessGrant'> =>
  async (context) => {
    await grants.grant(changeRequestOf(context, authentication), context.body)
    return { ok: true }
  }
