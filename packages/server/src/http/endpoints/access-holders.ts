import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const accessHolders =
  ({ accessHistory, principals }: Services): Handler<'accessHolders'> =>
  async ({ caller: { orgId }, body }) => {
    const answer = await accessHistory.holders(orgId, body)
    return { ...answer, holders: await principals.named(orgId, answer.holders) }
  }
