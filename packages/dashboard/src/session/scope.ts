/** Requests on behalf of the viewer within the organization of the page's address. */
import type { EndpointName, Request as Body, Response as Answer } from '@rollkey/contract'
import { accessToken, type ActingIn } from './access-token.ts'
import type { Organization, Viewer } from './viewer.ts'
import { post, type NameOf, type Path } from '../service/api.ts'

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

type Scoped = { [Name in EndpointName]: 'orgSlug' extends keyof Body<Name> ? Name : never }[EndpointName]

/** Posts with the organization and the token of the viewer. `signal`: gives up waiting for the answer. */
export async function ask<P extends Path>(
  scope: Scope,
  path: P,
  body: Omit<Body<NameOf<P> & Scoped>, 'orgSlug'>,
  signal?: AbortSignal,
): Promise<Answer<NameOf<P>>> {
  return post(path, { orgSlug: scope.orgSlug, ...body } as unknown as Body<NameOf<P>>, await accessToken(scope), signal)
}
