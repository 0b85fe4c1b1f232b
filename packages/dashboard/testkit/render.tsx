import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, render as renderBare } from '@testing-library/react'
import type { ReactNode } from 'react'
import { theme } from '../src/app/theme.ts'
import { type Scope, ScopeContext } from '../src/session/scope.ts'
import { type EmbeddedViewer, ViewerContext } from '../src/session/viewer.ts'

const organization = { id: 'org-1', name: 'Acme Inc.', slug: 'acme' }

/** The person for whom components are rendered. */
const viewer: EmbeddedViewer = {
  provider: 'embedded',
  userId: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  sessionId: 'session-1',
  organizations: [organization],
  organization,
}

/** The organization in which components are rendered. */
const scope: Scope = { provider: 'embedded', orgSlug: organization.slug, userId: viewer.userId, organization }

/**
 * Renders a component with the theme, a router at `/` and an empty query cache, for Ada in the organization `acme`. Transitions are off.
 * Resolves when it is on the page.
 *
 * @example
 * await render(<ChanceInput value={0.5} onChange={onChange} />)
 */
export async function render(children: ReactNode): Promise<void> {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => children }),
    history: createMemoryHistory(),
  })
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  await act(async () => {
    await router.load()
    renderBare(
      <MantineProvider theme={theme} env="test" withCssVariables={false} withGlobalClasses={false}>
        <QueryClientProvider client={queryClient}>
          <ViewerContext value={viewer}>
            <ScopeContext value={scope}>
              <RouterProvider router={router as never} />
            </ScopeContext>
          </ViewerContext>
        </QueryClientProvider>
      </MantineProvider>,
    )
  })
}
