import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const accessList =
  ({ grants, principals }: Services): Handler<'accessList'> =>
  async ({ caller: { orgId }, permissions: { policy }, body }) => {
    const listed = await grants.list(policy, { projectSlug: body.projectSlug, stageSlug: body.stageSlug })
    return { ...listed, grants: await principals.named(orgId, listed.grants) }
  }
