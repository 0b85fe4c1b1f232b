/** Requests on behalf of the viewer within the organization of the page's address. */
import type { Answer, OperationName, Request } from '@rollkey/sdk/core'
import { connect } from '../service/connection.ts'
import { tokensOf, type ActingIn } from './access-token.ts'
import type { Organization, Viewer } from './viewer.ts'

export interface Scope extends ActingIn {
  readonly userId: string | undefined
  /** Undefined with an outside provider, which alone knows its organizations. */
  readonly organization: Organization | undefined
}

/** The scope of an organization; undefined if the viewer's sign-in does not reach it. */
export function scopeIn(viewer: Viewer, orgSlug: string): Scope | undefined {
  const { provider, userId } = viewer
  if (provider === 'outside') {
    return viewer.organization.slug === orgSlug ? { provider, orgSlug, userId, organization: undefined } : undefined
  }
  const organization = viewer.organizations.find(({ slug }) => slug === orgSlug)
  return organization && { provider, orgSlug, userId, organization }
}

type ScopedName = { [Name in OperationName]: 'orgSlug' extends keyof Request<Name> ? Name : never }[OperationName]

/** Calls an operation with the organization and the token of the viewer. `signal`: cancels the call. */
export async function ask<Name extends ScopedName>(
  scope: Scope,
  name: Name,
  request: Omit<Request<Name>, 'orgSlug'>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const scoped = { orgSlug: scope.orgSlug, ...request } as unknown as Request<Name>
  return connect(tokensOf(scope)).call(name, scoped, { signal })
}
