import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import { newResetToken } from '../accounts.ts'
import { rankOf, type Directory } from '../directory.ts'

export function resetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset#token=${token}`
}

/** A new password is the whole account: every organization of the member's must trust the asker at least as much. */
async function mayReset(directory: Directory, askerId: string, userId: string): Promise<boolean> {
  if (askerId === userId) return false
  const asker = new Map((await directory.rolesOf(askerId)).map(({ orgId, role }) => [orgId, rankOf(role)]))
  const theirs = await directory.rolesOf(userId)
  return theirs.every(({ orgId, role }) => (asker.get(orgId) ?? -1) >= Math.max(rankOf('admin'), rankOf(role)))
}

/** A link that sets a member's password, for an owner or admin to hand over. */
export function resetLink(directory: Directory, publicUrl: string) {
  const options = { method: 'POST' as const, body: z.object({ memberId: z.string() }), use: [sessionMiddleware] }
  return createAuthEndpoint('/links/reset', options, async (ctx) => {
    const member = await directory.member(ctx.body.memberId)
    if (!member || !(await mayReset(directory, ctx.context.session.user.id, member.userId))) {
      throw new APIError('FORBIDDEN', {
        code: 'NOT_ALLOWED',
        message:
          'Only an owner or admin of every organization that this person is in, of at least their role, can make this link. The operator of the server can, too.',
      })
    }
    const { token, expiresAt } = await newResetToken(ctx.context, member.userId)
    return ctx.json({ url: resetUrl(publicUrl, token), expiresAt })
  })
}
