/** Requests on behalf of the viewer within the organization of the page's address. */
import type { Answer, OperationName, Request } from '@rollkey/sdk/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect } from 'react'
import { manages } from '../lib/roles.ts'
import { connect } from '../service/connection.ts'
import { justReadMs, whoamiKey } from '../service/query-client.ts'
import { confirming } from './confirmation.ts'
import { type ActingIn, tokensOf } from './access-token.ts'
import { type EmbeddedViewer, type Organization, useViewer, type Viewer, viewerKey } from './viewer.ts'
import { identity, unwrap } from './identity.ts'

export interface Scope extends ActingIn {
  readonly userId: string | undefined
  /** Undefined with an external provider, which alone knows its organizations. */
  readonly organization: Organization | undefined
}

/** Returns the scope of an organization; undefined if the viewer has no access to it. */
export function scopeIn(viewer: Viewer, orgSlug: string): Scope | undefined {
  const { provider, userId } = viewer
  if (provider === 'external') {
    return viewer.organization.slug === orgSlug ? { provider, orgSlug, userId, organization: undefined } : undefined
  }
  const organization = viewer.organizations.find(({ slug }) => slug === orgSlug)
  return organization && { provider, orgSlug, userId, organization }
}

type ScopedName = { [Name in OperationName]: 'orgSlug' extends keyof Request<Name> ? Name : never }[OperationName]

/**
 * Calls an operation with the organization and the token of the viewer. Where the service requires a fresh confirmation, it asks
 * for one and calls again. `signal`: cancels the call.
 */
export async function ask<Name extends ScopedName>(
  scope: Scope,
  name: Name,
  request: Omit<Request<Name>, 'orgSlug'>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  return confirming(() => askUnconfirmed(scope, name, request, signal))
}

/** Does the same for what no one clicked for, so that no question appears by itself: it fails with CONFIRMATION_REQUIRED. */
export async function askUnconfirmed<Name extends ScopedName>(
  scope: Scope,
  name: Name,
  request: Omit<Request<Name>, 'orgSlug'>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const scoped = { orgSlug: scope.orgSlug, ...request } as unknown as Request<Name>
  return connect(tokensOf(scope)).call(name, scoped, { signal })
}

/** Reads the identity and role of the viewer, whichever the identity provider is. */
export const whoamiQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [whoamiKey, scope.orgSlug],
    queryFn: async (): Promise<Answer<'whoami'>> => connect(tokensOf(scope)).call('whoami', {}),
    staleTime: justReadMs,
  })

export const ScopeContext = createContext<Scope | undefined>(undefined)

/** Returns the scope of the organization in the page's address. */
export function useScope(): Scope {
  const scope = use(ScopeContext)
  if (!scope) throw new Error('A page of an organization is shown outside its routes.')
  return scope
}

/**
 * Records the organization as the one opened last, which opens for addresses without an organization. Other tabs keep theirs,
 * because each request names its organization.
 */
export function useOpenedOrganization(opened: Organization | undefined): void {
  const viewer = useViewer()
  const queryClient = useQueryClient()
  const isNew = opened !== undefined && viewer.provider === 'embedded' && viewer.organization?.id !== opened.id
  const openedId = isNew ? opened.id : undefined
  useEffect(() => {
    if (openedId === undefined) return
    const keep = async (): Promise<void> => {
      await unwrap(identity.organization.setActive({ organizationId: openedId }))
      queryClient.setQueryData<EmbeddedViewer | null>(
        viewerKey,
        (known) => known && { ...known, organization: known.organizations.find(({ id }) => id === openedId) },
      )
    }
    // After a failure such addresses open the former organization, which does no harm.
    keep().catch(() => {})
  }, [openedId, queryClient])
}

/** Returns whether the viewer is an owner or admin, who manages the people and their sessions; false until it is known. */
export function useIsManager(): boolean {
  const { data } = useQuery(whoamiQuery(useScope()))
  return data?.role !== undefined && manages(data.role)
}
