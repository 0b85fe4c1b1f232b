import type { AuthContext } from 'better-auth'
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import type { ClientSessions } from '../client-sessions.ts'
import type { Directory } from '../directory.ts'
import type { EntryRules } from '../entry-rules.ts'
import { rememberBrowser } from '../known-browsers.ts'
import { revokeResetsOf, mayReset, newReset, validReset } from '../resets.ts'
import { linkGone, password } from './fields.ts'

/** Maximum passkeys that a request may name. */
const maxPasskeys = 1_000

export function resetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset#token=${token}`
}

/** Returns the endpoint that creates a link for setting a member's password. An owner or admin hands the link over. */
export function resetLink(directory: Directory, publicUrl: string, entryRules: EntryRules) {
  const options = { method: 'POST' as const, body: z.object({ memberId: z.string() }), use: [sessionMiddleware] }
  return createAuthEndpoint('/links/reset', options, async (ctx) => {
    const member = await directory.member(ctx.body.memberId)
    const reset = { userId: member?.userId ?? '', requesterId: ctx.context.session.user.id }
    if (!member || !(await mayReset(directory, reset))) {
      throw new APIError('FORBIDDEN', {
        code: 'NOT_ALLOWED',
        message:
          'You cannot create this link: it requires the owner or admin role, and at least the role of this person, in each of their organizations. Ask the operator of the server for a link.',
      })
    }
    await entryRules.assertPasswordOf(member)
    const { token, expiresAt } = await newReset(ctx.context, directory, reset)
    return ctx.json({ url: resetUrl(publicUrl, token), expiresAt })
  })
}

/** Returns the endpoint that shows anyone who has the link the user's passkeys, companies' providers and the number of command-line sessions. */
export function showReset(directory: Directory, clientSessions: ClientSessions, labelOf: (issuer: string) => string) {
  const body = z.object({ token: z.string() })
  return createAuthEndpoint('/links/password', { method: 'POST', body }, async (ctx) => {
    const { userId } = (await validReset(ctx.context, directory, ctx.body.token)) ?? throwLinkGone()
    const user = await ctx.context.internalAdapter.findUserById(userId)
    const passkeys = (await directory.passkeysOf(userId)).map(({ id, name, createdAt }) => ({ id, name, createdAt }))
    const identities = (await directory.accountsOf(userId)).filter(({ providerId }) => providerId !== 'credential')
    const companies = [...new Set(identities.map(({ providerId }) => labelOf(providerId)))]
    return ctx.json({
      email: user?.email ?? '',
      passkeys,
      clientSessions: await clientSessions.count(userId),
      companies,
    })
  })
}

/**
 * Returns the endpoint that sets the password of the link's user, once. It revokes everything through which another person may have
 * access: all browser sessions, the accounts at companies' providers, the passkeys that the user does not keep and, by default, the sessions of command-line clients.
 * The person who requested the link must still have the right to.
 */
export function resetPassword(directory: Directory, clientSessions: ClientSessions, entryRules: EntryRules) {
  const body = z.object({
    token: z.string(),
    newPassword: password,
    keepPasskeys: z.array(z.string()).max(maxPasskeys).default([]),
    endClientSessions: z.boolean().default(true),
  })
  return createAuthEndpoint('/reset-password', { method: 'POST', body }, async (ctx) => {
    const { token, newPassword, keepPasskeys, endClientSessions } = ctx.body
    const { userId, requesterId } = (await validReset(ctx.context, directory, token)) ?? throwLinkGone()
    await entryRules.assertOtherWay(userId)
    const digest = await ctx.context.password.hash(newPassword)
    await directory.withLock(requesterId === undefined ? [userId] : [userId, requesterId], async () => {
      if (!(await validReset(ctx.context, directory, token))) throwLinkGone()
      await revokeResetsOf(directory, userId)
      await ctx.context.internalAdapter.deleteUserSessions(userId)
      await setPassword(ctx.context, userId, digest)
      const passkeys = (await directory.passkeysOf(userId)).map(({ id }) => id)
      await directory.deletePasskeys(
        userId,
        passkeys.filter((id) => !keepPasskeys.includes(id)),
      )
      await directory.deleteIdentities(userId)
      // With the embedded store, client sessions are in another database. They come last, so that an earlier failure changes nothing.
      if (endClientSessions) await clientSessions.revokeAll(userId)
    })
    const user = await ctx.context.internalAdapter.findUserById(userId)
    if (user) rememberBrowser(ctx, user.email)
    return ctx.json({ status: true })
  })
}

function throwLinkGone(): never {
  throw linkGone('This link was already used, was replaced by a newer one, or has expired: ask for a new one.')
}

async function setPassword({ internalAdapter }: AuthContext, userId: string, digest: string): Promise<void> {
  if (await internalAdapter.findCredentialAccount(userId)) return internalAdapter.updatePassword(userId, digest)
  await internalAdapter.linkAccount({ userId, providerId: 'credential', accountId: userId, password: digest })
}
