/**
 * Requires a fresh confirmation at the embedded provider. A session counts as confirmed from its creation, so to confirm means to
 * sign in again, with every protection of a sign-in. The new session replaces the old one, so a stolen copy of the old cookie
 * becomes worthless.
 */
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { isConfirmed } from '../auth/confirmation.ts'

const confirmedPaths = new Set(['/passkey/generate-register-options', '/passkey/verify-registration'])
const signIns = new Set(['/sign-in/email', '/passkey/verify-authentication'])

const isAmong =
  (paths: ReadonlySet<string>) =>
  ({ path }: { path?: string }) =>
    path !== undefined && paths.has(path)

const requireConfirmation = {
  matcher: isAmong(confirmedPaths),
  handler: createAuthMiddleware(async (ctx) => {
    const current = await getSessionFromCtx(ctx)
    // The endpoint itself refuses requests without a session.
    if (!current || isConfirmed(current.session.createdAt.getTime(), Date.now())) return
    throw new APIError('FORBIDDEN', {
      code: 'CONFIRMATION_REQUIRED',
      message:
        'This requires a sign-in within the last 15 minutes: sign in again with your password or a passkey, then repeat it.',
    })
  }),
}

/** Replaces the earlier session of the same person in this browser. The new session keeps its active organization. */
const replaceSession = {
  matcher: isAmong(signIns),
  handler: createAuthMiddleware(async (ctx) => {
    const { authCookies, internalAdapter, newSession, secret } = ctx.context
    const token = await ctx.getSignedCookie(authCookies.sessionToken.name, secret)
    const old = newSession && typeof token === 'string' && (await internalAdapter.findSession(token))
    if (!old || old.user.id !== newSession.user.id) return
    const { activeOrganizationId } = old.session as { activeOrganizationId?: unknown }
    if (typeof activeOrganizationId === 'string') {
      await internalAdapter.updateSession(newSession.session.token, { activeOrganizationId })
    }
    await internalAdapter.deleteSession(old.session.token)
  }),
}

export const confirmation = {
  id: 'confirmation',
  hooks: { before: [requireConfirmation], after: [replaceSession] },
} satisfies BetterAuthPlugin
