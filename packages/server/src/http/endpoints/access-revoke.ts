import { changeRequestOf } from '../change-request-of.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const accessRevoke =
  ({ authentication, grants }: Services): Handler<'accessRevoke'> =>
  async (context) => {
    const { principal, projectSlug, stageSlug } = context.body
    await grants.revoke(changeRequestOf(context, authentication), principal, { projectSlug, stageSlug })
    return { ok: true }
  }
