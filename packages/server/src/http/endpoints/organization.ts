import type { Handler } from '../funnel.ts'
import type { Rooms } from './rooms.ts'

export const organization =
  ({ organizations, usage }: Rooms): Handler<'organization'> =>
  async ({ caller: { orgId, orgSlug } }) => ({
    orgSlug,
    ...(await organizations.settingsOf(orgId)),
    plan: usage.plan,
  })
