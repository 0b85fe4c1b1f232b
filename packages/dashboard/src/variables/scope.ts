/** Requests on behalf of the viewer within their organization. */
import type { EndpointName, Request as Body, Response as Answer } from '@rollkey/contract'
import { queryOptions } from '@tanstack/react-query'
import { accessToken } from '../identity/access-token.ts'
import type { Viewer } from '../identity/viewer.ts'
import { get, post, type NameOf, type Path } from '../service/api.ts'

export interface Scope {
  readonly provider: Viewer['provider']
  readonly orgSlug: string
  readonly userId: string | undefined
}

/** An outside provider's token alone knows the organization. */
export const scopeQuery = (viewer: Viewer) => {
  const { provider } = viewer
  const known =
    provider === 'embedded' && viewer.organization
      ? { provider, orgSlug: viewer.organization.slug, userId: viewer.userId }
      : undefined
  return queryOptions({
    queryKey: ['scope', known?.orgSlug],
    queryFn: async (): Promise<Scope> => {
      const { orgSlug, idpUserId } = await get('/v1/whoami', await accessToken(provider))
      return { provider, orgSlug, userId: idpUserId }
    },
    ...(known && { initialData: known }),
    staleTime: Infinity,
  })
}

type Scoped = { [Name in EndpointName]: 'orgSlug' extends keyof Body<Name> ? Name : never }[EndpointName]

/** Posts with the organization and the token of the viewer. `signal`: gives up waiting for the answer. */
export async function ask<P extends Path>(
  { provider, orgSlug }: Scope,
  path: P,
  body: Omit<Body<NameOf<P> & Scoped>, 'orgSlug'>,
  signal?: AbortSignal,
): Promise<Answer<NameOf<P>>> {
  return post(path, { orgSlug, ...body } as unknown as Body<NameOf<P>>, await accessToken(provider), signal)
}
