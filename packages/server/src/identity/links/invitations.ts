/**
 * An invitation's link carries its id and a mac of it: who reads the database alone, or a backup of it, finds the ids of
 * pending invitations and cannot join with them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { APIError, createAuthEndpoint, createAuthMiddleware, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import { accountOf, createAccount } from '../accounts.ts'
import { rankOf, type Directory } from '../directory.ts'
import { gone, password, personName, signIn } from './fields.ts'

function macOf(secret: string, id: string): string {
  return createHmac('sha256', secret).update(`invitation ${id}`).digest('base64url')
}

function signed(secret: string, id: string): string {
  return `${id}.${macOf(secret, id)}`
}

/** The id of a signed one. Throws an APIError. */
function idOf(secret: string, text: string): string {
  const [id = '', mac = ''] = text.split('.')
  const right = Buffer.from(macOf(secret, id))
  const given = Buffer.from(mac)
  if (right.length !== given.length || !timingSafeEqual(right, given)) {
    throw gone('This invitation link is not complete: copy all of it.')
  }
  return id
}

/** Throws an APIError unless the invitation can be accepted now. */
async function pendingInvitation(directory: Directory, id: string) {
  const invitation = await directory.invitation(id)
  const organization = invitation && (await directory.organization(invitation.organizationId))
  if (!organization || invitation.status !== 'pending' || invitation.expiresAt <= new Date()) {
    throw gone('This invitation was used already, was withdrawn, or has expired: ask for a new one.')
  }
  return { ...invitation, organizationName: organization.name }
}

/** The link of a pending invitation, for an owner or admin to hand over. */
export function inviteLink(directory: Directory, publicUrl: string) {
  const options = {
    method: 'POST' as const,
    body: z.object({ invitationId: z.string() }),
    use: [sessionMiddleware],
  }
  return createAuthEndpoint('/links/invite', options, async (ctx) => {
    const { secret, session } = ctx.context
    const { invitationId } = ctx.body
    const { organizationId, role, expiresAt } = await pendingInvitation(directory, invitationId)
    const asker = await directory.membership(organizationId, session.user.id)
    if (!asker || rankOf(asker.role) < Math.max(rankOf('admin'), rankOf(role))) {
      throw new APIError('FORBIDDEN', { code: 'NOT_ALLOWED', message: 'Only an owner or admin can invite.' })
    }
    return ctx.json({ url: `${publicUrl}/invitation#id=${signed(secret, invitationId)}`, expiresAt })
  })
}

/** What the link is about, for whoever has it. */
export function showInvitation(directory: Directory) {
  const body = z.object({ id: z.string() })
  return createAuthEndpoint('/links/invitation', { method: 'POST', body }, async (ctx) => {
    const { internalAdapter, secret } = ctx.context
    const invitation = await pendingInvitation(directory, idOf(secret, ctx.body.id))
    const { email, organizationName } = invitation
    const inviter = await internalAdapter.findUserById(invitation.inviterId)
    const hasAccount = (await accountOf(ctx.context, email)) !== undefined
    const role = invitation.role ?? 'member'
    return ctx.json({ email, role, organizationName, inviterName: inviter?.name ?? '', hasAccount })
  })
}

/** An account for the invited address. The invitation is accepted next, by whoever is signed in then. */
export function signUpByInvitation(directory: Directory) {
  const body = z.object({ id: z.string(), name: personName, password })
  return createAuthEndpoint('/links/sign-up', { method: 'POST', body }, async (ctx) => {
    const { email } = await pendingInvitation(directory, idOf(ctx.context.secret, ctx.body.id))
    await signIn(ctx, await createAccount(ctx.context, { ...ctx.body, email }))
    return ctx.json({ email })
  })
}

/** The library's own endpoints take an id: here they take a signed one. */
export const acceptSigned = {
  matcher: ({ path }: { path?: string }) =>
    path === '/organization/accept-invitation' || path === '/organization/reject-invitation',
  handler: createAuthMiddleware(async (ctx) => {
    const { invitationId } = (ctx.body ?? {}) as { invitationId?: unknown }
    const id = idOf(ctx.context.secret, typeof invitationId === 'string' ? invitationId : '')
    return { context: { body: { invitationId: id } } }
  }),
}
