import { issueRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const trustUpdate =
  ({ authentication, trusts }: Services): Handler<'trustUpdate'> =>
  (context) => {
    const { orgSlug: _, id, ...changes } = context.body
    return trusts.update(issueRequestOf(context, authentication), id, changes)
  }
