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
    // Addresses are left as they are: the answer of an outside provider is one.
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
    /** Whether the search parameter `stage` says which stage the page is about. */
    isAboutStage?: boolean
  }

  interface HistoryState {
    /** Where a sign-in or the choice of an organization leads back to. */
    returnTo?: string
  }
}
