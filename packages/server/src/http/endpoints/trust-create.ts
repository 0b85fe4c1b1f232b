import { issueRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const trustCreate =
  ({ authentication, trusts }: Services): Handler<'trustCreate'> =>
  (context) =>
    trusts.create(issueRequestOf(context, authentication), context.body)
