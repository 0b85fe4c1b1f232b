/** Who looks at the application: signed in to the built-in identity provider, or to an outside one. */
import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { queryOptions } from '@tanstack/react-query'
import type { Settings } from './settings.ts'
import { identity, unwrap } from './client.ts'
import { outsideToken } from './external-token.ts'

export interface Organization {
  readonly id: string
  readonly name: string
  readonly slug: string
}

export interface EmbeddedViewer {
  readonly provider: 'embedded'
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly sessionId: string
  readonly organizations: readonly Organization[]
  /** The one of them that was opened last, in whichever tab. */
  readonly organization: Organization | undefined
}

export interface ExternalViewer {
  readonly provider: 'outside'
  readonly userId: string | undefined
  readonly name: string | undefined
  /** The one that the token is for. */
  readonly organization: Pick<Organization, 'slug'>
}

export type Viewer = EmbeddedViewer | ExternalViewer

export const viewerKey = ['viewer'] as const

export const viewerQuery = (provider: Settings['provider']) =>
  queryOptions({
    queryKey: viewerKey,
    queryFn: async (): Promise<Viewer | null> => (provider === 'embedded' ? embeddedViewer() : outsideViewer()),
    staleTime: provider === 'embedded' ? 30_000 : 0,
  })

/** Null: nobody is signed in. */
async function embeddedViewer(): Promise<EmbeddedViewer | null> {
  const current: typeof identity.$Infer.Session | null = await unwrap(identity.getSession())
  if (!current) return null
  const { user, session } = current
  const organizations = (await unwrap(identity.organization.list())).map((each) => ({
    ...each,
    name: withoutHiddenCharacters(each.name),
  }))
  return {
    provider: 'embedded',
    userId: user.id,
    name: withoutHiddenCharacters(user.name),
    email: user.email,
    sessionId: session.id,
    organizations,
    organization: organizations.find(({ id }) => id === activeOrganizationId(session)),
  }
}

/** The organization plugin's field, which the client's types do not have. */
function activeOrganizationId(session: object): unknown {
  return 'activeOrganizationId' in session ? session.activeOrganizationId : undefined
}

function outsideViewer(): ExternalViewer | null {
  const token = outsideToken()
  if (!token) return null
  const { userId, name, orgSlug } = token
  return { provider: 'outside', userId, name, organization: { slug: orgSlug } }
}
