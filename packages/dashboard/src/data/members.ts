import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Role } from '../lib/roles.ts'
import { justReadMs } from '../service/query-client.ts'
import { identity, unwrap } from '../session/identity.ts'
import { useScope } from '../session/scope.ts'

export interface Member {
  readonly id: string
  readonly userId: string
  readonly role: Role
  readonly createdAt: Date
  readonly user: { readonly name: string; readonly email: string }
}

export interface PendingInvitation {
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly expiresAt: Date
}

export const membersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['members', organizationId],
    queryFn: async (): Promise<readonly Member[]> => {
      const { members } = await unwrap(identity.organization.listMembers({ query: { organizationId } }))
      return members.map((member) => ({
        ...member,
        user: { ...member.user, name: withoutHiddenCharacters(member.user.name) },
      }))
    },
    staleTime: justReadMs,
  })

/** How a member can sign in. */
export interface SignInMethods {
  readonly userId: string
  readonly hasPassword: boolean
  readonly hasPasskey: boolean
  readonly hasSecondFactor: boolean
  /** Names of companies. */
  readonly companies: readonly string[]
}

/** Returns how each member can sign in, for owners and admins. */
export const signInMethodsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['sign-in-methods-of-members', organizationId],
    queryFn: async (): Promise<readonly SignInMethods[]> => {
      const query = { organizationId }
      const found = await unwrap(identity.$fetch<{ members: SignInMethods[] }>('/company/members', { query }))
      return found.members
    },
  })

export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['invitations', organizationId],
    queryFn: async (): Promise<readonly PendingInvitation[]> => {
      const invitations = await unwrap(identity.organization.listInvitations({ query: { organizationId } }))
      return invitations.filter(({ status, expiresAt }) => status === 'pending' && expiresAt > new Date())
    },
  })

export async function invite(organizationId: string, email: string, role: Role): Promise<PendingInvitation> {
  return unwrap(identity.organization.inviteMember({ organizationId, email, role }))
}

export async function cancelInvitation(invitationId: string): Promise<void> {
  await unwrap(identity.organization.cancelInvitation({ invitationId }))
}

export async function changeRole(organizationId: string, memberId: string, role: Role): Promise<void> {
  await unwrap(identity.organization.updateMemberRole({ organizationId, memberId, role }))
}

export async function removeMember(organizationId: string, memberId: string): Promise<void> {
  await unwrap(identity.organization.removeMember({ organizationId, memberIdOrEmail: memberId }))
}

export async function leaveOrganization(organizationId: string): Promise<void> {
  await unwrap(identity.organization.leave({ organizationId }))
}

/**
 * Returns the members of the organization. With an external provider the list is empty, because the service does not know
 * them.
 */
export function useMembers(): readonly Member[] {
  const organizationId = useScope().organization?.id
  const { data } = useQuery({ ...membersQuery(organizationId ?? ''), enabled: organizationId !== undefined })
  return data ?? []
}

/** Returns whether the organization has members besides the viewer. `data` undefined: loading. False with an external provider. */
export function useHasOtherMembers(): { readonly data: boolean | undefined; readonly error: unknown } {
  const { organization, userId } = useScope()
  const enabled = organization !== undefined
  const { data, error } = useQuery({ ...membersQuery(organization?.id ?? ''), enabled })
  return { data: enabled ? data?.some((member) => member.userId !== userId) : false, error }
}

const followMs = 5_000

/** Reads the members again and again while a form is open in which people are chosen, so that it offers those who have just joined. */
export function useFollowMembers(): void {
  const organizationId = useScope().organization?.id
  useQuery({
    ...membersQuery(organizationId ?? ''),
    enabled: organizationId !== undefined,
    refetchInterval: followMs,
    refetchOnWindowFocus: 'always',
  })
}

/** Returns a function that names a member by id. It returns the id of anyone else, and an ellipsis until the members are read. */
export function usePersonName(): (userId: string) => string {
  const organizationId = useScope().organization?.id
  const queryClient = useQueryClient()
  // Renders again once they are.
  useMembers()
  return (userId) => {
    if (organizationId === undefined) return userId
    // What is done later, such as an undo, uses the members of then.
    const { status, data: members = [] } = queryClient.getQueryState(membersQuery(organizationId).queryKey) ?? {}
    return members.find((member) => member.userId === userId)?.user.name ?? (status === 'pending' ? '…' : userId)
  }
}
