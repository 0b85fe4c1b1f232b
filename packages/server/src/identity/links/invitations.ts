/**
 * Invitation links contain the id of the invitation and its MAC. A person who reads only the database, or a backup of it, finds
 * the ids of pending invitations but cannot join with them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { APIError, createAuthEndpoint, createAuthMiddleware, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import type { CompanyGroups } from '../company/groups.ts'
import { accountOf, createAccount } from '../accounts.ts'
import { highestRole, mayInvite, type Directory } from '../directory.ts'
import { maxMembers } from '../rules.ts'
import { linkGone, password, trimmedName, signIn } from './fields.ts'

function macOf(secret: string, id: string): string {
  return createHmac('sha256', secret).update(`invitation ${id}`).digest('base64url')
}

function withMac(secret: string, id: string): string {
  return `${id}.${macOf(secret, id)}`
}

/** Returns the id in a signed text. Throws an APIError if the signature is wrong. */
function idOf(secret: string, text: string): string {
  const [id = '', mac = ''] = text.split('.')
  const expected = Buffer.from(macOf(secret, id))
  const actual = Buffer.from(mac)
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) {
    throw linkGone('This invitation link is incomplete: copy the whole link.')
  }
  return id
}

function invitationGone(): APIError {
  return linkGone('This invitation was already used, was withdrawn, or has expired: ask for a new one.')
}

export function invitationUrl(publicUrl: string, secret: string, id: string): string {
  return `${publicUrl}/invitation#id=${withMac(secret, id)}`
}

/** Returns an invitation that can be accepted now. Throws an APIError otherwise, also if the inviter could no longer create it. */
async function pendingInvitation(directory: Directory, id: string) {
  const invitation = await directory.invitation(id)
  if (!invitation || invitation.status !== 'pending' || invitation.expiresAt <= new Date()) throw invitationGone()
  const { organizationId, inviterId } = invitation
  const organization = await directory.organization(organizationId)
  const inviter = await directory.membership(organizationId, inviterId)
  if (!organization || !mayInvite(inviter?.role, invitation.role)) throw invitationGone()
  return { ...invitation, role: highestRole(invitation.role), organizationName: organization.name }
}

/** Returns the invited address of a signed id. Throws an APIError if the invitation cannot be accepted now. */
export async function invitedEmail(directory: Directory, secret: string, signedId: string): Promise<string> {
  return (await pendingInvitation(directory, idOf(secret, signedId))).email
}

/** Returns the endpoint that creates the link of a pending invitation. An owner or admin hands the link over. */
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
    const requester = await directory.membership(organizationId, session.user.id)
    if (!mayInvite(requester?.role, role)) {
      throw new APIError('FORBIDDEN', {
        code: 'NOT_ALLOWED',
        message: 'You cannot create this link: only an owner or admin can invite, up to their own role.',
      })
    }
    return ctx.json({ url: invitationUrl(publicUrl, secret, invitationId), expiresAt })
  })
}

/** Returns the endpoint that shows the invitation to anyone who has the link. */
export function showInvitation(directory: Directory) {
  const body = z.object({ id: z.string() })
  return createAuthEndpoint('/links/invitation', { method: 'POST', body }, async (ctx) => {
    const { internalAdapter, secret } = ctx.context
    const invitation = await pendingInvitation(directory, idOf(secret, ctx.body.id))
    const { email, role, organizationName } = invitation
    const inviter = await internalAdapter.findUserById(invitation.inviterId)
    const hasAccount = (await accountOf(ctx.context, email)) !== undefined
    return ctx.json({ email, role, organizationName, inviterName: inviter?.name ?? '', hasAccount })
  })
}

/** Returns the endpoint that creates an account for the invited address and signs the person in. Accepting is a separate request. */
export function signUpByInvitation(directory: Directory) {
  const body = z.object({ id: z.string(), name: trimmedName, password })
  return createAuthEndpoint('/links/sign-up', { method: 'POST', body }, async (ctx) => {
    const { email } = await pendingInvitation(directory, idOf(ctx.context.secret, ctx.body.id))
    await signIn(ctx, await createAccount(ctx.context, { ...ctx.body, email }))
    return ctx.json({ email })
  })
}

/**
 * Returns the endpoint that makes the invited person a member. One transaction locks the inviter and the invited person while it
 * reads the invitation, so a removal of the inviter happens either before that read or after the person has joined.
 */
export function acceptInvitation(directory: Directory, groups: CompanyGroups) {
  const options = { method: 'POST' as const, body: z.object({ invitationId: z.string() }), use: [sessionMiddleware] }
  return createAuthEndpoint('/organization/accept-invitation', options, async (ctx) => {
    const { internalAdapter, secret, session } = ctx.context
    const { id: userId, email } = session.user
    const id = idOf(secret, ctx.body.invitationId)
    const { inviterId } = await pendingInvitation(directory, id)
    const { invitation, member } = await directory.withLock([inviterId, userId], async () => {
      const pending = await pendingInvitation(directory, id)
      if (pending.email.toLowerCase() !== email.toLowerCase()) {
        throw new APIError('FORBIDDEN', {
          code: 'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION',
          message: 'This invitation is for another email address: sign in with the invited one.',
        })
      }
      await assertMayJoin(directory, pending.organizationId, userId)
      if (!(await directory.acceptInvitation(id))) throw invitationGone()
      const joined = await directory.addMember(pending.organizationId, userId, pending.role)
      return { invitation: { ...pending, status: 'accepted' }, member: joined }
    })
    await internalAdapter.updateSession(session.session.token, { activeOrganizationId: invitation.organizationId })
    await groups.repeat(session.session)
    return ctx.json({ invitation, member })
  })
}

/** Throws an APIError if the person is already a member or the organization is full. */
async function assertMayJoin(directory: Directory, organizationId: string, userId: string): Promise<void> {
  if (await directory.membership(organizationId, userId)) {
    throw new APIError('BAD_REQUEST', {
      code: 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
      message: 'You are already a member of this organization.',
    })
  }
  if ((await directory.countMembers(organizationId)) >= maxMembers) {
    throw new APIError('FORBIDDEN', {
      code: 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
      message: `An organization has at most ${maxMembers} members: ask an owner or admin to remove one.`,
    })
  }
}

/** Makes the library's endpoint for rejecting an invitation take a signed id instead of an id. */
export const rejectSigned = {
  matcher: ({ path }: { path?: string }) => path === '/organization/reject-invitation',
  handler: createAuthMiddleware(async (ctx) => {
    const { invitationId } = (ctx.body ?? {}) as { invitationId?: unknown }
    const id = idOf(ctx.context.secret, typeof invitationId === 'string' ? invitationId : '')
    return { context: { body: { invitationId: id } } }
  }),
}
