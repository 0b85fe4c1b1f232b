/** The signed-in person, at the embedded identity provider or at an external one. */
import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { type Query, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { useRouter } from '@tanstack/react-router'
import { type Settings, settingsQuery, useSettings } from './settings.ts'
import { identity, unwrap } from './identity.ts'
import { forgetExternalToken, externalToken } from './external-sign-in.ts'
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
  /** The organization that was opened last in any tab. */
  readonly organization: Organization | undefined
}

export interface ExternalViewer {
  readonly provider: 'external'
  readonly userId: string | undefined
  readonly name: string | undefined
  /** The organization of the token. */
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

/** Returns the viewer at the embedded provider; null if no one is signed in. */
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

/** Returns the organization plugin's field, which the client's types lack. */
function activeOrganizationId(session: object): unknown {
  return 'activeOrganizationId' in session ? session.activeOrganizationId : undefined
}

function outsideViewer(): ExternalViewer | null {
  const token = externalToken()
  if (!token) return null
  const { userId, name, orgSlug } = token
  return { provider: 'external', userId, name, organization: { slug: orgSlug } }
}

export const ViewerContext = createContext<Viewer | undefined>(undefined)

/** Returns the viewer, on pages for signed-in people. */
export function useViewer(): Viewer {
  const viewer = use(ViewerContext)
  if (!viewer) throw new Error('A page for signed-in people is shown outside their routes.')
  return viewer
}

/** Returns whether a query belongs to the viewer, like all but the settings. */
function isOfViewer({ queryKey }: Query): boolean {
  return queryKey[0] !== settingsQuery.queryKey[0]
}

/**
 * Returns a function to call after a sign-in, a sign-out or a change of the account or its organizations. It forgets what is
 * known about the viewer, then opens the path, or refreshes the page without one.
 */
export function useViewerChange(): (path?: string) => Promise<void> {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async (path) => {
    forgetAccessTokens()
    if (path === undefined) {
      // The page knows the new viewer before it sends requests on their behalf.
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

/** Returns the mutation that signs out. `path`: the page to open afterwards. Absent: the same page. */
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
