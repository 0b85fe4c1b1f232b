import type { AuthContext } from 'better-auth'
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import type { ClientSessions } from '../client-sessions.ts'
import type { Directory } from '../directory.ts'
import { knowBrowser } from '../known-browsers.ts'
import { endResetsOf, mayReset, newReset, validReset } from '../resets.ts'
import { gone, password } from './fields.ts'

/** Passkeys that a request names. */
const maxKept = 1_000

export function resetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset#token=${token}`
}

/** A link that sets a member's password, for an owner or admin to hand over. */
export function resetLink(directory: Directory, publicUrl: string) {
  const options = { method: 'POST' as const, body: z.object({ memberId: z.string() }), use: [sessionMiddleware] }
  return createAuthEndpoint('/links/reset', options, async (ctx) => {
    const member = await directory.member(ctx.body.memberId)
    const reset = member && { userId: member.userId, askerId: ctx.context.session.user.id }
    if (!reset || !(await mayReset(directory, reset))) {
      throw new APIError('FORBIDDEN', {
        code: 'NOT_ALLOWED',
        message:
          'Only an owner or admin of every organization that this person is in, of at least their role, can make this link. The operator of the server can, too.',
      })
    }
    const { token, expiresAt } = await newReset(ctx.context, directory, reset)
    return ctx.json({ url: resetUrl(publicUrl, token), expiresAt })
  })
}

/** What the link's person signs in with beside the password, for anyone who has the link. */
export function showReset(directory: Directory, clientSessions: ClientSessions) {
  const body = z.object({ token: z.string() })
  return createAuthEndpoint('/links/password', { method: 'POST', body }, async (ctx) => {
    const { userId } = (await validReset(ctx.context, directory, ctx.body.token)) ?? spent()
    const user = await ctx.context.internalAdapter.findUserById(userId)
    const passkeys = (await directory.passkeysOf(userId)).map(({ id, name, createdAt }) => ({ id, name, createdAt }))
    return ctx.json({ email: user?.email ?? '', passkeys, clientSessions: await clientSessions.countOf(userId) })
  })
}

/**
 * Sets the password of a link's person, once, and ends what another person may have of the account: all browser sessions, the
 * passkeys that the person does not keep and, by default, the sessions of command-line clients. The person who asked for the link must
 * still be allowed to.
 */
export function resetPassword(directory: Directory, clientSessions: ClientSessions) {
  const body = z.object({
    token: z.string(),
    newPassword: password,
    keepPasskeys: z.array(z.string()).max(maxKept).default([]),
    endClientSessions: z.boolean().default(true),
  })
  return createAuthEndpoint('/reset-password', { method: 'POST', body }, async (ctx) => {
    const { token, newPassword, keepPasskeys, endClientSessions } = ctx.body
    const { userId, askerId } = (await validReset(ctx.context, directory, token)) ?? spent()
    const digest = await ctx.context.password.hash(newPassword)
    await directory.holding(askerId === undefined ? [userId] : [userId, askerId], async () => {
      if (!(await validReset(ctx.context, directory, token))) spent()
      await endResetsOf(directory, userId)
      await ctx.context.internalAdapter.deleteUserSessions(userId)
      await setPassword(ctx.context, userId, digest)
      const passkeys = (await directory.passkeysOf(userId)).map(({ id }) => id)
      await directory.deletePasskeys(
        userId,
        passkeys.filter((id) => !keepPasskeys.includes(id)),
      )
      // Another store on the embedded engine: last, so that what fails before it leaves all as it was.
      if (endClientSessions) await clientSessions.endAllOf(userId)
    })
    const user = await ctx.context.internalAdapter.findUserById(userId)
    if (user) knowBrowser(ctx, user.email)
    return ctx.json({ status: true })
  })
}

function spent(): never {
  throw gone('This link was used already, was replaced by a newer one, or has expired: ask for a new one.')
}

async function setPassword({ internalAdapter }: AuthContext, userId: string, digest: string): Promise<void> {
  if (await internalAdapter.findCredentialAccount(userId)) return internalAdapter.updatePassword(userId, digest)
  await internalAdapter.linkAccount({ userId, providerId: 'credential', accountId: userId, password: digest })
}
