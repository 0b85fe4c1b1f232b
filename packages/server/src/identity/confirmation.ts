/**
 * Requires a fresh confirmation at the embedded provider. A session counts as confirmed from its creation, so to confirm means to
 * sign in again, with every protection of a sign-in. The new session replaces the old one, so a stolen copy of the old cookie
 * becomes worthless.
 */
import type { BetterAuthPlugin, GenericEndpointContext } from 'better-auth'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { isConfirmed } from '../auth/confirmation.ts'
import type { Directory } from './directory.ts'
import { companyCallback } from './paths.ts'

const passkeyPaths = new Set(['/passkey/generate-register-options', '/passkey/verify-registration'])
const confirmedPaths = new Set([
  ...passkeyPaths,
  // Otherwise a stolen session could delete the passkeys and then add a first one.
  '/passkey/delete-passkey',
  '/second-factor/start',
  '/second-factor/enable',
  '/second-factor/recovery-codes',
  '/second-factor/remove',
  '/company/remove',
])
const signIns = new Set(['/sign-in/email', '/passkey/verify-authentication'])

type Match = (request: { path?: string }) => boolean

const isConfirmedPath: Match = ({ path }) => path !== undefined && confirmedPaths.has(path)
const isSignIn: Match = ({ path }) => path !== undefined && (signIns.has(path) || path.startsWith(companyCallback))

/** Returns when the person of a session last proved who they are. A company's provider may have asked long before the session. */
export function authenticatedAt(session: { readonly createdAt: Date; readonly [field: string]: unknown }): Date {
  const { authenticatedAt: time, createdAt } = session
  return time instanceof Date ? time : createdAt
}

type SessionRow = Parameters<typeof authenticatedAt>[0]

/** Throws an APIError if the session needs a confirmation. */
export function assertConfirmed(session: SessionRow): void {
  if (isConfirmed(authenticatedAt(session).getTime(), Date.now())) return
  throw new APIError('FORBIDDEN', {
    code: 'CONFIRMATION_REQUIRED',
    message: 'This requires a sign-in within the last 15 minutes: sign in again in one of your ways, then repeat it.',
  })
}

/**
 * Returns whether the person may add a passkey without a confirmation: they just came back from a provider that does not say when it
 * asked for credentials, and could not confirm anything in another way. Afterwards they confirm with the passkey.
 */
async function mayAddFirstPasskey(directory: Directory, { firstPasskeyUntil, userId }: SessionRow): Promise<boolean> {
  if (!(firstPasskeyUntil instanceof Date) || firstPasskeyUntil.getTime() < Date.now()) return false
  return !(await directory.hasPasswordOrPasskey(String(userId)))
}

function requireConfirmation(directory: Directory) {
  return {
    matcher: isConfirmedPath,
    handler: createAuthMiddleware(async (ctx) => {
      const current = await getSessionFromCtx(ctx)
      // The endpoint itself refuses requests without a session.
      if (!current || (passkeyPaths.has(ctx.path) && (await mayAddFirstPasskey(directory, current.session)))) return
      assertConfirmed(current.session)
    }),
  }
}

/** Returns the session that this browser has at the start of a sign-in, if it is of the same person. */
export async function formerSession(
  ctx: Pick<GenericEndpointContext, 'context' | 'getSignedCookie'>,
  userId: string,
): Promise<(SessionRow & { readonly token: string }) | undefined> {
  const { authCookies, internalAdapter, secret } = ctx.context
  const token = await ctx.getSignedCookie(authCookies.sessionToken.name, secret)
  const old = typeof token === 'string' ? await internalAdapter.findSession(token) : null
  return old?.user.id === userId ? old.session : undefined
}

/** Replaces the earlier session of the same person in this browser. The new session keeps its active organization. */
const replaceSession = {
  matcher: isSignIn,
  handler: createAuthMiddleware(async (ctx) => {
    const { internalAdapter, newSession } = ctx.context
    const old = newSession && (await formerSession(ctx, newSession.user.id))
    if (!old) return
    const { activeOrganizationId } = old
    if (typeof activeOrganizationId === 'string') {
      await internalAdapter.updateSession(newSession.session.token, { activeOrganizationId })
    }
    await internalAdapter.deleteSession(old.token)
  }),
}

export function confirmation(directory: Directory) {
  return {
    id: 'confirmation',
    hooks: { before: [requireConfirmation(directory)], after: [replaceSession] },
  } satisfies BetterAuthPlugin
}
