/** Single-use links that people pass on themselves, because no email is sent. */
import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { queryOptions } from '@tanstack/react-query'
import type { Role } from '../lib/roles.ts'
import { identity, unwrap } from '../session/identity.ts'

interface Setup {
  readonly token: string
  readonly name: string
  readonly email: string
  readonly password: string
  readonly organizationName: string
  readonly organizationSlug: string
}

export interface Invitation {
  readonly email: string
  readonly role: Role
  readonly organizationName: string
  readonly inviterName: string
  /** Whether the invited address has an account already. */
  readonly hasAccount: boolean
}

/** The account of a reset link, with its sign-in methods besides the password. */
export interface Reset {
  readonly email: string
  readonly passkeys: readonly { readonly id: string; readonly name?: string | null; readonly createdAt?: Date | null }[]
  /** How many command-line sessions the person has. */
  readonly clientSessions: number
  /** What people call the providers at which the person signs in. A new password disconnects them. */
  readonly companies: readonly string[]
}

interface NewPassword {
  readonly token: string
  readonly newPassword: string
  /** Ids of the passkeys that stay. The others are removed. */
  readonly keepPasskeys: readonly string[]
  readonly endClientSessions: boolean
}

interface Link {
  readonly url: string
  readonly expiresAt: Date
}

/** Creates the first account and its organization, and signs in. */
export async function setUp(body: Setup): Promise<void> {
  await unwrap(identity.$fetch('/links/setup', { method: 'POST', body }))
}

export const invitationQuery = (id: string) =>
  queryOptions({
    queryKey: ['invitation', id],
    queryFn: async (): Promise<Invitation> => {
      const found = await unwrap(identity.$fetch<Invitation>('/links/invitation', { method: 'POST', body: { id } }))
      return {
        ...found,
        organizationName: withoutHiddenCharacters(found.organizationName),
        inviterName: withoutHiddenCharacters(found.inviterName),
      }
    },
    refetchOnWindowFocus: false,
  })

/** Creates the account of the invited address, and signs in. */
export async function signUpByInvitation(body: { id: string; name: string; password: string }): Promise<void> {
  await unwrap(identity.$fetch('/links/sign-up', { method: 'POST', body }))
}

export async function acceptInvitation(invitationId: string): Promise<void> {
  await unwrap(identity.organization.acceptInvitation({ invitationId }))
}

export async function declineInvitation(invitationId: string): Promise<void> {
  await unwrap(identity.organization.rejectInvitation({ invitationId }))
}

/** Reads the link of a pending invitation, for owners and admins. */
export const invitationLinkQuery = (invitationId: string) =>
  queryOptions({
    queryKey: ['invitation-link', invitationId],
    queryFn: () => unwrap(identity.$fetch<Link>('/links/invite', { method: 'POST', body: { invitationId } })),
    refetchOnWindowFocus: false,
  })

/** Creates the link with which a member sets a new password. */
export function resetLink(memberId: string): Promise<Link> {
  return unwrap(identity.$fetch<Link>('/links/reset', { method: 'POST', body: { memberId } }))
}

/** Has a link mailed that sets a new password, if the address has an account. */
export async function mailResetLink(email: string): Promise<void> {
  await unwrap(identity.$fetch('/links/forgotten', { method: 'POST', body: { email } }))
}

export const resetQuery = (token: string) =>
  queryOptions({
    queryKey: ['reset', token],
    queryFn: () => unwrap(identity.$fetch<Reset>('/links/password', { method: 'POST', body: { token } })),
    refetchOnWindowFocus: false,
  })

export async function resetPassword(body: NewPassword): Promise<void> {
  await unwrap(identity.$fetch('/reset-password', { method: 'POST', body }))
}
