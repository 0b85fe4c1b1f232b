import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const groupCreate =
  ({ authentication, groups }: Services): Handler<'groupCreate'> =>
  async (context) => ({ id: await groups.create(changeRequestOf(context, authentication), context.body) })
