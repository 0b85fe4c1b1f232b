/** Single-use links that people hand to each other: nothing is mailed. */
import { queryOptions } from '@tanstack/react-query'
import type { Role } from '../base/roles.ts'
import { identity, unwrap } from './client.ts'

export interface Setup {
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

export interface Link {
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
    queryFn: () => unwrap(identity.$fetch<Invitation>('/links/invitation', { method: 'POST', body: { id } })),
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

/** The link of a pending invitation, for an owner or admin to hand over. */
export const invitationLinkQuery = (invitationId: string) =>
  queryOptions({
    queryKey: ['invitation-link', invitationId],
    queryFn: () => unwrap(identity.$fetch<Link>('/links/invite', { method: 'POST', body: { invitationId } })),
    refetchOnWindowFocus: false,
  })

/** The link by which the member sets a new password. */
export function resetLink(memberId: string): Promise<Link> {
  return unwrap(identity.$fetch<Link>('/links/reset', { method: 'POST', body: { memberId } }))
}
