import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const stageProtect =
  ({ authentication, defaults, principals }: Services): Handler<'stageProtect'> =>
  async (context) => {
    const losing = await defaults.protect(changeRequestOf(context, authentication), context.body)
    return { losing: await principals.named(context.caller.orgId, losing) }
  }
