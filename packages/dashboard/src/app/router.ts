import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { Loading } from '../ui/loading.tsx'
import { ErrorPage } from './error-pages.tsx'
import { routes } from './routes.tsx'

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { queryClient },
    defaultErrorComponent: ErrorPage,
    defaultPendingComponent: Loading,
    // Addresses are not rewritten, because an external provider's answer is one.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const known = Object.entries(search as Record<string, string | undefined>).filter(
        ([, value]) => value !== undefined,
      )
      const text = new URLSearchParams(known as [string, string][]).toString()
      return text === '' ? '' : `?${text}`
    },
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }

  interface StaticDataRouteOption {
    /** The page's name in the breadcrumbs. */
    crumb?: string
    /** The page of the documentation about it. */
    docs?: string
    /** Whether the search parameter `stage` names the stage of the page. */
    isAboutStage?: boolean
    /** Whether the page has the table of the variables. */
    hasGrid?: boolean
  }

  interface HistoryState {
    /** The address to return to after a sign-in or the choice of an organization. */
    returnTo?: string
    /** The email of who signs in, where a page knows it. */
    email?: string
    /** What the comparison of two stages begins with: what the second one lacks, or the variables of these names. */
    copied?: 'missing' | readonly string[]
    /** Whether the open variable starts in its form. */
    isEditing?: boolean
    /** Whether the form of a new variable starts as that of an A/B roll. */
    isRoll?: boolean
    /** Whether the open variable starts with its rotation. */
    isRotating?: boolean
  }
}
