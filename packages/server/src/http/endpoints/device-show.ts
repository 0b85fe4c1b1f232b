import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const deviceShow =
  ({ deviceCodes }: Services): Handler<'deviceShow'> =>
  async ({ caller, body }) => {
    const { client_name, created_at_ms, expires_at_ms } = await deviceCodes.show(body.userCode, caller)
    return {
      ...(client_name !== null && { clientName: client_name }),
      requestedAtMs: created_at_ms,
      expiresAtMs: expires_at_ms,
      orgSlug: caller.orgSlug,
    }
  }
