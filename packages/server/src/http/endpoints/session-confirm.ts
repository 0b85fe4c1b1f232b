import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const sessionConfirm =
  ({ sessions }: Services): Handler<'sessionConfirm'> =>
  async ({ caller, body, actor }) => {
    // The time of the confirmation itself: a session is not confirmed longer than the person who confirms it.
    await sessions.confirm(actor, body.id, caller.authenticatedAtMs ?? 0)
    return { ok: true }
  }
