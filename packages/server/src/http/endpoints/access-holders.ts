import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const accessHolders =
  ({ accessHistory }: Services): Handler<'accessHolders'> =>
  ({ caller: { orgId }, body }) =>
    accessHistory.holders(orgId, body)
