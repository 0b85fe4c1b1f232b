import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const stageProtect =
  ({ authentication, defaults }: Services): Handler<'stageProtect'> =>
  async (context) => ({ losing: await defaults.protect(changeRequestOf(context, authentication), context.body) })
