import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const accessList =
  ({ grants }: Services): Handler<'accessList'> =>
  ({ permissions: { policy }, body }) =>
    grants.list(policy, { projectSlug: body.projectSlug, stageSlug: body.stageSlug })
