/** Who looks at the application: signed in to the built-in identity provider, or to an outside one. */
import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { type Query, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { useRouter } from '@tanstack/react-router'
import { type Settings, settingsQuery, useSettings } from './settings.ts'
import { identity, unwrap } from './identity.ts'
import { forgetExternalToken, outsideToken } from './external-sign-in.ts'
import { forgetAccessTokens } from './access-token.ts'
import { forgetRecentProjects } from './recent-projects.ts'

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

export const ViewerContext = createContext<Viewer | undefined>(undefined)

/** Who is signed in, on pages that nobody else sees. */
export function useViewer(): Viewer {
  const viewer = use(ViewerContext)
  if (!viewer) throw new Error('A page for signed-in people is shown outside their routes.')
  return viewer
}

/** Everything but the settings was asked on behalf of the viewer. */
function isOfViewer({ queryKey }: Query): boolean {
  return queryKey[0] !== settingsQuery.queryKey[0]
}

/**
 * What follows a sign-in, a sign-out, another set of organizations or another name: whatever is known about the viewer is over.
 * Then goes to the path, or stays on the page and asks anew.
 */
export function useViewerChange(): (path?: string) => Promise<void> {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async (path) => {
    forgetAccessTokens()
    if (path === undefined) {
      // The page is told who looks at it now before it asks anything on their behalf.
      await queryClient.resetQueries({ queryKey: viewerKey })
      await router.invalidate()
      queryClient.removeQueries({ predicate: isOfViewer, type: 'inactive' })
      await queryClient.invalidateQueries({ predicate: isOfViewer })
    } else {
      queryClient.removeQueries({ predicate: isOfViewer })
      await router.navigate({ href: path, replace: true })
    }
  }
}

/** `path`: where to go afterwards; the same page without one. */
export function useSignOut(path?: string) {
  const { provider } = useSettings()
  const viewerChanged = useViewerChange()
  return useMutation({
    mutationFn: async () => {
      if (provider === 'embedded') await unwrap(identity.signOut())
      else forgetExternalToken()
      forgetRecentProjects()
    },
    onSuccess: () => viewerChanged(path),
  })
}
