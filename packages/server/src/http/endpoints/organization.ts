import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const organization =
  ({ organizations, usage }: Services): Handler<'organization'> =>
  async ({ caller: { orgId, orgSlug } }) => ({
    orgSlug,
    ...(await organizations.settingsOf(orgId)),
    plan: usage.plan,
  })
