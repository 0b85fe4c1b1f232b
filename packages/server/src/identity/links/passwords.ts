import type { AuthContext } from 'better-auth'
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import type { Directory } from '../directory.ts'
import { knowBrowser } from '../known-browsers.ts'
import { endResetsOf, mayReset, newReset, validReset } from '../resets.ts'
import { gone, password } from './fields.ts'

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

/** Sets the password of a link's person, once. Whoever asked for the link must still be allowed to. */
export function resetPassword(directory: Directory) {
  const body = z.object({ token: z.string(), newPassword: password })
  return createAuthEndpoint('/reset-password', { method: 'POST', body }, async (ctx) => {
    const found = await validReset(ctx.context, directory, ctx.body.token)
    if (!found) throw spent()
    const digest = await ctx.context.password.hash(ctx.body.newPassword)
    const { userId, askerId } = found
    await directory.holding(askerId === undefined ? [userId] : [userId, askerId], async () => {
      if (!(await validReset(ctx.context, directory, ctx.body.token))) throw spent()
      await endResetsOf(directory, userId)
      await ctx.context.internalAdapter.deleteUserSessions(userId)
      await setPassword(ctx.context, userId, digest)
    })
    const user = await ctx.context.internalAdapter.findUserById(userId)
    if (user) knowBrowser(ctx, user.email)
    return ctx.json({ status: true })
  })
}

function spent(): APIError {
  return gone('This link was used already, was replaced by a newer one, or has expired: ask for a new one.')
}

async function setPassword({ internalAdapter }: AuthContext, userId: string, digest: string): Promise<void> {
  if (await internalAdapter.findCredentialAccount(userId)) return internalAdapter.updatePassword(userId, digest)
  await internalAdapter.linkAccount({ userId, providerId: 'credential', accountId: userId, password: digest })
}
