/** Handlers of logins and sessions of command-line clients. */
import { noSession } from '../../sessions/sessions.ts'
import type { Handlers } from '../handler.ts'
import { limits } from '@rollkey/contract'

export const sessionHandlers = {
  deviceStart: async ({ deviceCodes, publicUrl }, { body, clientKey }) => {
    const { deviceCode, userCode } = await deviceCodes.start(body.clientName, clientKey)
    const verificationUri = `${publicUrl}/device`
    return {
      deviceCode,
      userCode,
      expiresInSec: limits.deviceCodeLifetimeSec,
      intervalSec: limits.deviceCodePollIntervalSec,
      verificationUri,
      // The code is in the fragment, which reaches no server and no log.
      verificationUriComplete: `${verificationUri}#user_code=${userCode}`,
    }
  },
  deviceComplete: async ({ deviceCodes }, { body, actor }) => {
    await deviceCodes.approve(body.userCode, actor)
    return { ok: true }
  },
  deviceShow: async ({ deviceCodes }, { caller, body }) => {
    const { client_name, created_at_ms, expires_at_ms } = await deviceCodes.show(body.userCode, caller)
    return {
      ...(client_name !== null && { clientName: client_name }),
      requestedAtMs: created_at_ms,
      expiresAtMs: expires_at_ms,
      orgSlug: caller.orgSlug,
    }
  },
  deviceDeny: async ({ deviceCodes }, { body, actor }) => {
    await deviceCodes.deny(body.userCode, actor)
    return { ok: true }
  },
  devicePoll: async ({ deviceCodes }, { body, requestId }) => {
    const pair = await deviceCodes.poll(body.deviceCode, requestId)
    return pair ? { status: 'approved', ...pair } : { status: 'pending' }
  },
  tokenRefresh: ({ sessions }, { body, requestId }) => sessions.refresh(body.refreshToken, requestId),
  logout: async ({ sessions }, { body, actor }) => {
    await sessions.logout(actor, body.refreshToken)
    return { ok: true }
  },
  sessionList: async ({ authentication, sessions }, { caller, body, reads }) => {
    if (body.everyone) await authentication.assertAdmin(caller, reads)
    const listed = await sessions.list(caller.orgId, body.everyone ? {} : { userId: caller.userId })
    return { sessions: listed.map((each) => ({ ...each, isCurrent: each.id === caller.session?.id })) }
  },
  sessionRevoke: async ({ authentication, sessions }, { caller, body: { id }, actor, reads }) => {
    const [found] = await sessions.list(caller.orgId, { id })
    const mayRevoke = found && (found.idpUserId === caller.userId || (await authentication.isAdmin(caller, reads)))
    const event = { action: 'session.revoke', facts: { sessionId: id } } as const
    if (mayRevoke && (await sessions.revoke(id, 'revoked', { actor, event }))) return { ok: true }
    throw noSession()
  },
  sessionConfirm: async ({ sessions }, { caller, body, actor }) => {
    // The time of the confirmation itself: a session is not confirmed longer than the person who confirms it.
    await sessions.confirm(actor, body.id, caller.authenticatedAtMs ?? 0)
    return { ok: true }
  },
  session: async ({ sessions }, { caller }) => ({
    idpUserId: caller.userId,
    orgId: caller.orgId,
    orgSlug: caller.orgSlug,
    accessTokenExpiresAtMs: caller.session.accessTokenExpiresAtMs,
    ...(await sessions.timesOf(caller.session)),
  }),
} satisfies Partial<Handlers>
