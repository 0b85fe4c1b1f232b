import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { type AnyRoute, type AnyRouteMatch, RouterProvider } from '@tanstack/react-router'
import { forgetAccessTokens } from '../session/access-token.ts'
import { forgetExternalToken } from '../session/external-sign-in.ts'
import { viewerKey } from '../session/viewer.ts'
import { createQueryClient } from '../service/query-client.ts'
import { ToastRegion } from '../ui/toast.tsx'
import { theme, tokenVariables } from './theme.ts'
import { createAppRouter } from './router.ts'
import { clearToastsWithViewer } from './viewer-toasts.ts'

const queryClient = createQueryClient(() => {
  forgetAccessTokens()
  forgetExternalToken()
  queryClient.removeQueries({ queryKey: viewerKey })
  void router.invalidate()
})
clearToastsWithViewer(queryClient)
const router = createAppRouter(queryClient)
// The scripts of the page load while its guards ask who the viewer is.
const routesById: Readonly<Record<string, AnyRoute | undefined>> = router.routesById
for (const { routeId } of router.matchRoutes(router.latestLocation) as readonly AnyRouteMatch[]) {
  const route = routesById[routeId]
  // What fails here is loaded again when the page is rendered.
  if (route) router.loadRouteChunk(route)?.catch(() => undefined)
}

/** Returns the nonce with which styles that are made at run time pass the content security policy. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
}

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={tokenVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <ToastRegion />
      </QueryClientProvider>
    </MantineProvider>
  )
}
