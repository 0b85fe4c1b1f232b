import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, render as renderBare } from '@testing-library/react'
import type { ReactNode } from 'react'
import { theme } from '../src/app/theme.ts'
import { type Scope, ScopeContext } from '../src/session/scope.ts'

/** The organization in which components are rendered. */
const scope: Scope = {
  provider: 'embedded',
  orgSlug: 'acme',
  userId: 'ada',
  organization: { id: 'org-1', name: 'Acme Inc.', slug: 'acme' },
}

/**
 * Renders a component with the theme, a router at `/` and an empty query cache, in the organization `acme`. Transitions are off.
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
      <MantineProvider theme={theme} env="test">
        <QueryClientProvider client={queryClient}>
          <ScopeContext value={scope}>
            <RouterProvider router={router as never} />
          </ScopeContext>
        </QueryClientProvider>
      </MantineProvider>,
    )
  })
}
